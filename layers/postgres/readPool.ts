import { Cause, Clock, Effect, Scope, Semaphore } from "effect"
import { SqlError } from "effect/sql"
import type { ReadPool } from "../../src/platform/ports/ReadPool.ts"
import { onRealClock } from "../time/realClock.ts"
import { type Pools, PoolsOfReads } from "./client.ts"

/** Time for which all reads go to the primary after an error. */
const PAUSE_MILLIS = 5_000

/**
 * Makes the pool of reads to which seconds do not matter. It opens with the first of them, so a start does not depend on
 * it. A read that its database fails runs on the primary, and so do those of the next five seconds.
 */
export const makeReadPool = Effect.fnUntraced(function* <E>(open: Effect.Effect<Pools, E, Scope.Scope>) {
  const scope = yield* Scope.Scope
  const opening = yield* Semaphore.make(1)
  let pools: Pools | undefined
  let pausedUntil = 0
  let isFailing = false

  const opened = Effect.suspend(() =>
    pools === undefined
      ? Effect.tap(Scope.provide(open, scope), (made) => Effect.sync(() => (pools = made)))
      : Effect.succeed(pools)
  ).pipe(opening.withPermits(1), onRealClock, Effect.orDie)

  const pause = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    pausedUntil = now + PAUSE_MILLIS
    if (isFailing) return Effect.void
    isFailing = true
    return Effect.logWarning("The database of DATABASE_READ_URL failed: reading from DATABASE_URL instead")
  })

  const resume = Effect.suspend(() => {
    if (!isFailing) return Effect.void
    isFailing = false
    return Effect.logInfo("The database of DATABASE_READ_URL answers again")
  })

  return {
    run: <A, E, R>(read: Effect.Effect<A, E, R>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (now < pausedUntil) return read
        return Effect.flatMap(opened, (pools) => Effect.provideService(read, PoolsOfReads, pools)).pipe(
          Effect.tap(() => resume),
          Effect.catchCauseIf(
            (cause) => SqlError.isSqlError(Cause.squash(cause)),
            () => Effect.andThen(pause, read)
          )
        )
      })
  } satisfies typeof ReadPool.Service
})
