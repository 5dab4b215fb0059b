import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { onRealClock } from "../../layers/time/realClock.ts"
import { urlOf } from "./Database.ts"

/** Runs statements beside a database of this name, which they may not be connected to. */
const administering = (use: (sql: PgClient.PgClient) => Effect.Effect<unknown, unknown>) =>
  PgClient.make({ url: urlOf("postgres"), maxConnections: 1 }).pipe(
    Effect.flatMap(use),
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    onRealClock,
    Effect.orDie
  )

/** Makes a database read-only, and ends its connections, as a primary does that becomes a standby. */
export const makeReadOnly = (name: string) =>
  administering((sql) =>
    Effect.gen(function* () {
      yield* sql`alter database ${sql(name)} set default_transaction_read_only = on`.unprepared
      yield* sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
    })
  )

/** Makes a database writable for new connections. Those that it has stay read-only. */
export const makeWritable = (name: string) =>
  administering((sql) => sql`alter database ${sql(name)} reset default_transaction_read_only`.unprepared)
