import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { Migrator, SqlClient, type SqlConnection } from "effect/sql"
import { type DatabaseSchema, filesOf } from "./DatabaseSchema.ts"

/** A step of the schema. */
export interface Migration {
  readonly id: number
  /** The name in its file's name, without the number. */
  readonly name: string
  readonly run: Effect.Effect<unknown, unknown, SqlClient.SqlClient>
  /** The statements that it runs, in their order. */
  readonly statements: ReadonlyArray<string>
}

/** Returns the name of a migration's file, without its ending. */
export const titleOf = ({ id, name }: Pick<Migration, "id" | "name">) =>
  `${String(id).padStart(4, "0")}_${name}`

const CONCURRENT =
  /^\s*(?:create(?:\s+unique)?|drop)\s+index\s+concurrently\s+(?:if\s+(?:not\s+)?exists\s+)?"?(\w+)"?/i

/** Returns the index that a statement makes or drops `concurrently`, which PostgreSQL refuses in a transaction. */
export const concurrentIndexOf = (statement: string) => CONCURRENT.exec(statement)?.[1]

/** Returns true for a migration that runs outside a transaction. */
export const isOutsideTransaction = ({ statements }: Migration) =>
  statements.some((statement) => concurrentIndexOf(statement) !== undefined)

/** A client of no database. It keeps each statement, and answers that there are no rows. */
const makeRecorder = Effect.fnUntraced(function* () {
  const statements: Array<string> = []
  const record = (statement: string) =>
    Effect.sync(() => {
      statements.push(statement)
      return []
    })
  const connection: SqlConnection.Connection = {
    execute: record,
    executeRaw: record,
    executeStream: (statement) => Stream.fromEffectDrain(record(statement)),
    executeUnprepared: record,
    executeValues: record,
    executeValuesUnprepared: record
  }
  const sql = yield* SqlClient.make({
    driver: "pg",
    acquirer: Effect.succeed(connection),
    compiler: PgClient.makeCompiler(),
    spanAttributes: []
  })
  return { sql, statements }
}, Effect.provide(Reactivity.layer))

/** Fails with the migration that went wrong. */
export const failed = (migration: Pick<Migration, "id" | "name">, problem: string) => (cause: unknown) =>
  new Migrator.MigrationError({
    cause,
    kind: "Failed",
    message: `Migration ${titleOf(migration)} ${problem}`
  })

/** Returns the migrations of a schema with a number above this one, in the order of their numbers. */
export const migrationsAfter = Effect.fnUntraced(function* (newest: number, schema: DatabaseSchema) {
  const files = (yield* filesOf(schema)).filter(([id]) => id > newest)
  return yield* Effect.forEach(files, ([id, name, load]) =>
    Effect.gen(function* () {
      const { sql, statements } = yield* makeRecorder()
      const module: { readonly default?: Migration["run"] } = yield* Effect.provideService(
        load,
        SqlClient.SqlClient,
        sql
      )
      const run = module.default
      if (!Effect.isEffect(run)) return yield* Effect.die(new Error("its default export is not an effect"))
      yield* Effect.provideService(run, SqlClient.SqlClient, sql)
      return { id, name, run, statements } satisfies Migration
    }).pipe(Effect.sandbox, Effect.mapError(failed({ id, name }, "cannot be read")))
  )
})
