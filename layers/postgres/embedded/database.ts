import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { onRealClock } from "../../time/realClock.ts"
import { EmbeddedPostgres } from "./EmbeddedPostgres.ts"

/** The service's database on the embedded server. */
export const NAME = "pennypress"

/** Makes the database `pennypress` of the embedded server if it is missing, and returns its URL. */
export const databaseOfServer = Effect.gen(function* () {
  const server = yield* EmbeddedPostgres
  yield* ensureDatabase(NAME).pipe(
    Effect.provide(PgClient.layer({ url: server.url, maxConnections: 1 })),
    onRealClock
  )
  return server.databaseUrl(NAME)
})

const ensureDatabase = Effect.fnUntraced(function* (name: string) {
  const sql = yield* SqlClient.SqlClient
  const exists = Effect.map(sql`select from pg_database where datname = ${name}`, (rows) => rows.length > 0)
  if (yield* exists) return
  yield* sql`create database ${sql(name)}`.unprepared.pipe(
    // Another process created it first.
    Effect.catch((error) => Effect.flatMap(exists, (there) => (there ? Effect.void : Effect.fail(error))))
  )
})
