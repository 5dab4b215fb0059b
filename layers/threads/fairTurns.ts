import { Effect, Fiber, PartitionedSemaphore, Schema } from "effect"

/** Too many tasks of the key, or of all keys, are unfinished. */
export class TurnsExhausted extends Schema.TaggedError<TurnsExhausted>()("TurnsExhausted", {}) {}

export interface FairTurnsOptions {
  /** Maximum number of tasks that run at the same time. */
  readonly permits: number
  /** Maximum number of tasks of all keys that run or wait. */
  readonly unfinishedMax: number
  /** Maximum number of tasks of one key that run or wait. */
  readonly unfinishedPerKeyMax: number
}

/**
 * Makes turns that keys take one after another, each with its oldest task. One key can delay another only by the tasks
 * that are already running.
 */
export const makeFairTurns = Effect.fnUntraced(function* (options: FairTurnsOptions) {
  const { permits, unfinishedMax, unfinishedPerKeyMax } = options
  const semaphore = yield* PartitionedSemaphore.make<string>({ permits })
  const scope = yield* Effect.scope
  const unfinished = new Map<string, number>()
  let total = 0

  const count = (key: string, change: 1 | -1) => {
    const left = (unfinished.get(key) ?? 0) + change
    total += change
    if (left === 0) unfinished.delete(key)
    else unfinished.set(key, left)
  }

  const enter = (key: string) =>
    Effect.suspend(() => {
      const isFull = total >= unfinishedMax || (unfinished.get(key) ?? 0) >= unfinishedPerKeyMax
      return isFull ? Effect.fail(new TurnsExhausted({})) : Effect.sync(() => count(key, 1))
    })
  const leave = (key: string) => Effect.sync(() => count(key, -1))

  /**
   * Runs a task in the turn of its key. A caller that is interrupted while it waits gives up its turn; a task that is
   * already running continues to its end. Fails with `TurnsExhausted` at once.
   */
  const inTurn = <A, E>(key: string, task: Effect.Effect<A, E>): Effect.Effect<A, E | TurnsExhausted> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        yield* enter(key)
        yield* restore(semaphore.take(key, 1)).pipe(Effect.onInterrupt(() => leave(key)))
        const finished = Effect.andThen(semaphore.release(1), leave(key))
        const running = yield* Effect.forkIn(Effect.ensuring(Effect.interruptible(task), finished), scope)
        return yield* restore(Fiber.join(running))
      })
    )

  return { inTurn }
})
