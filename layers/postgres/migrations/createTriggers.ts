import { createHash } from "node:crypto"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type DatabaseSchema, MIGRATIONS_TABLE } from "./DatabaseSchema.ts"
import { patiently } from "./patiently.ts"

/** The triggers of a feature, with a hash that changes with them. */
interface FeatureTriggers {
  readonly hash: string
  readonly statements: ReadonlyArray<string>
}

const withHash = (statements: ReadonlyArray<string>): FeatureTriggers => ({
  hash: createHash("md5").update(statements.join("\n")).digest("hex"),
  statements
})

export const allTriggers = (schema: DatabaseSchema) => schema.triggers.map(withHash)

/** Returns the triggers of a schema that the database does not have yet. Takes no lock that another statement waits for. */
export const missingTriggers = Effect.fnUntraced(function* (schema: DatabaseSchema) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly made: string | null }>`
    select obj_description(to_regclass(${MIGRATIONS_TABLE})) as made`
  const made = (row?.made ?? "").split(" ")
  return allTriggers(schema).filter(({ hash }) => !made.includes(hash))
})

/** Creates triggers and replaces former ones, those of each feature in a transaction of its own. */
export const createTriggers = Effect.fnUntraced(function* (
  missing: ReadonlyArray<FeatureTriggers>,
  schema: DatabaseSchema
) {
  const sql = yield* SqlClient.SqlClient
  for (const { statements } of missing) {
    const create = Effect.forEach(statements, (statement) => sql.unsafe(statement).unprepared, {
      discard: true
    })
    yield* patiently("A change of triggers", statements, create)
  }
  if (missing.length === 0) return
  const hashes = allTriggers(schema)
    .map(({ hash }) => hash)
    .join(" ")
  yield* sql.unsafe(`comment on table ${MIGRATIONS_TABLE} is '${hashes}'`).unprepared
})
