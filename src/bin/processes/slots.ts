import { Clock, Deferred, Effect, Latch } from "effect"
import { backoffMillis } from "../../platform/time/backoff.ts"
import { SERVER_LIMITS } from "../server/limits.ts"
import type { ServingProcess, ServingProcessFailed } from "./ServingProcess.ts"

/** A process that lived this long ended for a new reason, so its replacement starts at once. */
const LIVED_MILLIS = 60_000

/** The waits before further starts. The first start does not wait. */
const WAITS = { firstMillis: 200, longestMillis: 15_000 }

/** Time that a replaced process has to end. Its longest request is an upload. */
const DRAIN_MILLIS = SERVER_LIMITS.uploadMs + 30_000

/** Starts a process with this number, and returns it once it listens. */
export type Start = (number: number) => Effect.Effect<ServingProcess, ServingProcessFailed>

/** The place of one serving process. A process that ends, or is replaced, leaves its place to another. */
export interface Slot {
  readonly current: () => ServingProcess
  /**
   * Replaces the process by a fresh one that listens before the old one drains. Completes when the old one has ended.
   */
  readonly replace: Effect.Effect<void, ServingProcessFailed>
  /** Keeps a process in this place. */
  readonly tend: Effect.Effect<never>
}

const waitMillis = (failures: number) => (failures === 0 ? 0 : backoffMillis(WAITS, failures))

const about = ({ number, pid }: ServingProcess) => ({ process: number, pid })

/** Waits for the end of a replaced process, and stops it when it takes too long. */
const drained = (old: ServingProcess) =>
  old.drain.pipe(
    Effect.andThen(old.ended),
    Effect.timeoutOrElse({ duration: DRAIN_MILLIS, orElse: () => old.stop }),
    Effect.andThen(Effect.annotateLogs(Effect.logInfo("A serving process was replaced"), about(old)))
  )

/** Makes the place of a process that listens. */
export const makeSlot = Effect.fnUntraced(function* (first: ServingProcess, start: Start) {
  const { number } = first
  const isAsked = Latch.makeUnsafe()
  let asked: Deferred.Deferred<void, ServingProcessFailed> | undefined
  let current = first
  let failures = 0
  let startedMillis = yield* Clock.currentTimeMillis

  const change = Effect.gen(function* () {
    current = yield* start(number)
    startedMillis = yield* Clock.currentTimeMillis
  })

  const renew = Effect.gen(function* () {
    const old = current
    yield* change
    yield* drained(old)
  })

  const restart = Effect.gen(function* () {
    const how = yield* current.ended
    yield* Effect.logWarning("A serving process ended by itself; another one replaces it").pipe(
      Effect.annotateLogs({ ...about(current), how })
    )
    if ((yield* Clock.currentTimeMillis) - startedMillis >= LIVED_MILLIS) failures = 0
    const again = Effect.suspend(() => Effect.delay(change, waitMillis(failures++)))
    yield* again.pipe(
      Effect.tapError(({ message }) => Effect.logError(message)),
      Effect.retry({ while: () => true })
    )
  })

  const tend = Effect.gen(function* () {
    yield* Effect.raceFirst(current.ended, isAsked.await)
    const replacement = asked
    if (replacement === undefined) return yield* Effect.orDie(restart)
    asked = undefined
    isAsked.closeUnsafe()
    return yield* Deferred.done(replacement, yield* Effect.exit(renew))
  }).pipe(Effect.forever)

  const replace = Effect.gen(function* () {
    const replacement = yield* Deferred.make<void, ServingProcessFailed>()
    asked = replacement
    isAsked.openUnsafe()
    yield* Deferred.await(replacement)
  })

  const slot: Slot = { current: () => current, replace, tend }
  return slot
})
