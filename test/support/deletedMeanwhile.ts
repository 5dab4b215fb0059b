import { PgClient } from "@effect/sql-pg"
import { Effect, Fiber } from "effect"
import { Reactivity } from "effect/reactivity"
import { onRealClock } from "../../layers/time/realClock.ts"
import { urlOf } from "./Database.ts"
import { eventually } from "./eventually.ts"

const connectionTo = (database: string) =>
  PgClient.make({ url: urlOf(database), maxConnections: 1 }).pipe(
    Effect.provide(Reactivity.layer),
    onRealClock
  )

/** Sends a request beside a transaction that has deleted this Post, which commits once the request waits for it. */
export const deletedMeanwhile = Effect.fnUntraced(function* <A, E, R>(
  database: string,
  postId: string,
  request: Effect.Effect<A, E, R>
) {
  const deletion = yield* (yield* connectionTo(database)).reserve
  const run = (statement: string) => deletion.executeUnprepared(statement, [], undefined)
  // Of its own, as a statement may share a connection with the one that waits.
  const observer = yield* connectionTo(database)
  yield* run("begin")
  yield* run(`delete from posts where id = '${postId}'`)
  const requesting = yield* Effect.forkChild(request)
  yield* eventually(
    "the request waits for the deletion",
    Effect.map(
      observer`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      (rows) => rows.length > 0
    )
  )
  yield* run("commit")
  return yield* Fiber.join(requesting)
})
