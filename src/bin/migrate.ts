import { Console, Effect } from "effect"
import { readEnvironment } from "../../layers/config/environment.ts"
import { makeDataDirectory } from "../../layers/files/dataDirectory.ts"
import { observability } from "../../layers/observability.ts"
import { databaseUrl, isBeforeFirstStart } from "../../layers/postgres/databaseUrl.ts"
import { migrate, planMigrations } from "../../layers/postgres/migrate.ts"
import type { MigrationProgress } from "../../layers/postgres/migrations/runMigrations.ts"
import { VERSION } from "../version.ts"
import { planLines } from "./planLines.ts"
import { endOfProgress, showProgress } from "./progress.ts"

const progress: MigrationProgress = (title, number, count) =>
  showProgress(`migration ${number} of ${count}: ${title}`)

interface MigrateFlags {
  readonly plan: boolean
  readonly json: boolean
}

/** Migrates the database, or prints what would be done. */
export const migrateProgram = Effect.fnUntraced(function* ({ json, plan }: MigrateFlags) {
  const environment = yield* readEnvironment
  const program = Effect.gen(function* () {
    if (plan) {
      const url = isBeforeFirstStart(environment) ? undefined : yield* databaseUrl(environment)
      return yield* planMigrations(url)
    }
    yield* makeDataDirectory(environment.PENNYPRESS_DATA)
    const url = yield* databaseUrl(environment)
    yield* Effect.ensuring(migrate(url, { progress }), endOfProgress)
    return yield* planMigrations(url)
  })
  const found = yield* program.pipe(Effect.scoped, Effect.provide(observability(environment, VERSION)))
  yield* Console.log(json ? JSON.stringify(found, null, 2) : planLines(found).join("\n"))
})
