import { Effect } from "effect"
import { allTriggers, missingTriggers } from "./createTriggers.ts"
import { type DatabaseSchema, newestRun } from "./DatabaseSchema.ts"
import { isOutsideTransaction, migrationsAfter, titleOf } from "./Migration.ts"

export interface Step {
  readonly name: string
  readonly inTransaction: boolean
  readonly statements: ReadonlyArray<string>
}

export interface Plan {
  readonly state: "current" | "pending" | "newer"
  /** The newest migration that ran on the database; 0 for none. */
  readonly databaseMigration: number
  /** The newest migration of this release. */
  readonly codeMigration: number
  readonly migrations: ReadonlyArray<Step>
}

/** Returns the text without its indentation. */
const flush = (text: string) => {
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  const indents = lines.slice(lines[0]?.startsWith(" ") === true ? 0 : 1).map((line) => line.search(/\S/))
  const indent = Math.min(...indents)
  return lines.map((line) => line.slice(Math.min(indent, line.search(/\S/)))).join("\n")
}

const stepOf = (name: string, statements: ReadonlyArray<string>, inTransaction = true): Step => ({
  name,
  inTransaction,
  statements: statements.map(flush)
})

const planAfter = Effect.fnUntraced(function* (
  databaseMigration: number,
  schema: DatabaseSchema,
  triggers: ReturnType<typeof allTriggers>
) {
  const all = yield* migrationsAfter(0, schema)
  const numbers = { databaseMigration, codeMigration: all.at(-1)?.id ?? 0 }
  if (databaseMigration > numbers.codeMigration)
    return { ...numbers, state: "newer", migrations: [] } satisfies Plan
  const migrations = [
    ...all
      .filter(({ id }) => id > databaseMigration)
      .map((it) => stepOf(titleOf(it), it.statements, !isOutsideTransaction(it))),
    ...triggers.map(({ statements }) => stepOf("triggers", statements))
  ]
  return { ...numbers, state: migrations.length === 0 ? "current" : "pending", migrations } satisfies Plan
})

/** Returns what `migrate` would do to this database. Changes nothing. */
export const planOf = Effect.fnUntraced(function* (schema: DatabaseSchema) {
  return yield* planAfter(yield* newestRun, schema, yield* missingTriggers(schema))
})

/** Returns what `migrate` would do to an empty database that is not there yet. */
export const planOfNew = (schema: DatabaseSchema) => planAfter(0, schema, allTriggers(schema))
