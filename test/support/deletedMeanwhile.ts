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

/**
 * Sends a request beside a transaction of these statements, which commits once the request waits for it. Before it commits,
 * it runs `meanwhile`.
 */
export const changedMeanwhile = Effect.fnUntraced(function* <A, E, R>(
  database: string,
  statements: ReadonlyArray<string>,
  request: Effect.Effect<A, E, R>,
  meanwhile: ReadonlyArray<string> = []
) {
  const change = yield* (yield* connectionTo(database)).reserve
  const run = (statement: string) => change.executeUnprepared(statement, [], undefined)
  // Of its own, as a statement may share a connection with the one that waits.
  const observer = yield* connectionTo(database)
  yield* run("begin")
  for (const statement of statements) yield* run(statement)
  const requesting = yield* Effect.forkChild(request)
  yield* eventually(
    "the request waits for the change",
    Effect.map(
      observer`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      (rows) => rows.length > 0
    )
  )
  for (const statement of meanwhile) yield* run(statement)
  yield* run("commit")
  return yield* Fiber.join(requesting)
})

/** Sends a request beside a transaction that has deleted this Post. */
export const deletedMeanwhile = <A, E, R>(
  database: string,
  postId: string,
  request: Effect.Effect<A, E, R>
) => changedMeanwhile(database, [`delete from posts where id = '${postId}'`], request)
