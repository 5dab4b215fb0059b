import { mkdirSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Effect } from "effect"
import type { DatabaseSchema } from "../../layers/postgres/migrations/DatabaseSchema.ts"
import { temporaryDirectory } from "./directories.ts"

const resolve = (name: string) => pathToFileURL(createRequire(import.meta.url).resolve(name)).href

/** The source of a migration that runs these statements, loadable from anywhere. */
export const migration = (...statements: ReadonlyArray<string>) => `
import { Effect } from "${resolve("effect")}"
import { SqlClient } from "${resolve("effect/sql")}"
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of ${JSON.stringify(statements)}) yield* sql.unsafe(statement)
})
`

/** A schema of these migrations. */
export const schemaOf = (
  files: Readonly<Record<string, string>>,
  triggers: DatabaseSchema["triggers"] = []
): Effect.Effect<DatabaseSchema, never, Effect.Services<typeof temporaryDirectory>> =>
  Effect.map(temporaryDirectory, (directory) => {
    const folder = join(directory, "migrations")
    mkdirSync(folder)
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    return { migrations: folder, triggers }
  })
