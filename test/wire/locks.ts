import { PgClient } from "@effect/sql-pg"
import { Effect, type Redacted } from "effect"
import { Reactivity } from "effect/reactivity"

/** Keeps every reader of Posts waiting while `use` runs. `use` can see whether a reader waits, and release them all. */
export const holdingPosts = <A, E, R>(
  url: Redacted.Redacted,
  use: (held: {
    readonly isAwaited: Effect.Effect<boolean>
    readonly release: Effect.Effect<void>
    /** Ends the connections of waiting readers, as an operator of the database may. */
    readonly endWaiting: Effect.Effect<void>
  }) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const holder = yield* PgClient.make({ url, maxConnections: 1 })
    const observer = yield* PgClient.make({ url, maxConnections: 1 })
    const connection = yield* holder.reserve
    const run = (statement: string) => Effect.asVoid(connection.executeUnprepared(statement, [], undefined))
    yield* run("begin")
    yield* run("lock table posts in access exclusive mode")
    const release = Effect.orDie(run("commit"))
    const isAwaited = observer`
      select from pg_locks where relation = 'posts'::regclass and not granted
        and database = (select oid from pg_database where datname = current_database())
    `.pipe(
      Effect.map((rows) => rows.length > 0),
      Effect.orDie
    )
    const endWaiting = observer`
      select pg_terminate_backend(pid) from pg_locks where relation = 'posts'::regclass and not granted
        and database = (select oid from pg_database where datname = current_database())
    `.pipe(Effect.asVoid, Effect.orDie)
    return yield* use({ isAwaited, release, endWaiting })
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
