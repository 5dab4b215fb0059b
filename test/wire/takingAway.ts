import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"

/** Takes a database away from all of its users, and gives it back. */
export const takingAway = Effect.fnUntraced(
  function* <A, E, R>(url: Redacted.Redacted, use: Effect.Effect<A, E, R>) {
    const name = new URL(Redacted.value(url)).pathname.slice(1)
    const server = new URL(Redacted.value(url))
    server.pathname = "/postgres"
    const sql = yield* PgClient.make({ url: Redacted.make(server.href), maxConnections: 1 })
    yield* sql`alter database ${sql(name)} allow_connections false`.unprepared
    yield* sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
    yield* use
    yield* sql`alter database ${sql(name)} allow_connections true`.unprepared
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)
