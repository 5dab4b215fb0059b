import { Clock, Duration, Effect, Exit, Fiber, PartitionedSemaphore, Schema } from "effect"

/** Too many tasks of the key, or of all keys, are unfinished, or the turn of the key comes too late. */
export class TurnsExhausted extends Schema.TaggedError<TurnsExhausted>()("TurnsExhausted", {}) {}

export interface FairTurnsOptions {
  /** Maximum number of tasks that run at the same time. */
  readonly permits: number
  /** Maximum number of tasks of all keys that run or wait. */
  readonly unfinishedMax: number
  /** Maximum number of tasks of one key that run or wait. */
  readonly unfinishedPerKeyMax: number
  /** Maximum time that a task waits for its turn. A task that would wait longer is refused at once. */
  readonly waitMax: Duration.Input
}

/** Weight of the newest task in the average time of a task. */
const NEWEST = 0.2

/**
 * Makes turns that keys take one after another, each with its oldest task. One key can delay another only by the tasks
 * that are already running.
 */
export const makeFairTurns = Effect.fnUntraced(function* (options: FairTurnsOptions) {
  const { permits, unfinishedMax, unfinishedPerKeyMax, waitMax } = options
  const waitMillisMax = Duration.toMillis(waitMax)
  const semaphore = yield* PartitionedSemaphore.make<string>({ permits })
  const scope = yield* Effect.scope
  const unfinished = new Map<string, number>()
  let total = 0
  /** Average time of a task, where the newest count most. It begins at 0, as the first task starts the thread. */
  let taskMillis = 0

  const count = (key: string, change: 1 | -1) => {
    const left = (unfinished.get(key) ?? 0) + change
    total += change
    if (left === 0) unfinished.delete(key)
    else unfinished.set(key, left)
  }

  /** Returns the time until the turn of one more task of a key, if tasks take as long as the newest did. */
  const expectedWaitMillis = (key: string) => {
    const own = unfinished.get(key) ?? 0
    let ahead = own
    for (const [other, tasks] of unfinished) if (other !== key) ahead += Math.min(tasks, own + 1)
    return (Math.max(0, ahead + 1 - permits) / permits) * taskMillis
  }

  const enter = (key: string) =>
    Effect.suspend(() => {
      const isFull = total >= unfinishedMax || (unfinished.get(key) ?? 0) >= unfinishedPerKeyMax
      return isFull || expectedWaitMillis(key) > waitMillisMax
        ? Effect.fail(new TurnsExhausted({}))
        : Effect.sync(() => count(key, 1))
    })
  const leave = (key: string) => Effect.sync(() => count(key, -1))

  const timed = <A, E>(task: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.flatMap(Clock.currentTimeMillis, (started) =>
      Effect.ensuring(
        task,
        Effect.map(Clock.currentTimeMillis, (ended) => {
          taskMillis += (ended - started - taskMillis) * NEWEST
        })
      )
    )

  /** Waits for the turn of a key. Fails without a turn when it does not come in time, or when it is interrupted. */
  const turnOf = Effect.fnUntraced(function* (
    key: string,
    restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  ) {
    const waiting = yield* Effect.forkChild(Effect.interruptible(semaphore.take(key, 1)), {
      startImmediately: true
    })
    // The turn may come at the moment when the wait ends.
    const gotTurn = Effect.map(
      Effect.andThen(Fiber.interrupt(waiting), Fiber.await(waiting)),
      Exit.isSuccess<void, never>
    )
    yield* restore(Effect.timeoutOption(Fiber.await(waiting), waitMax)).pipe(
      Effect.onInterrupt(() => Effect.andThen(Effect.when(semaphore.release(1), gotTurn), leave(key)))
    )
    if (yield* gotTurn) return
    yield* leave(key)
    return yield* new TurnsExhausted({})
  })

  /**
   * Runs a task in the turn of its key. A caller that is interrupted while it waits gives up its turn; a task that is
   * already running continues to its end. Fails with `TurnsExhausted` at once when too many tasks are before it, and
   * when they take longer than it may wait.
   */
  const inTurn = <A, E>(key: string, task: Effect.Effect<A, E>): Effect.Effect<A, E | TurnsExhausted> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        yield* enter(key)
        yield* turnOf(key, restore)
        const finished = Effect.andThen(semaphore.release(1), leave(key))
        const running = yield* Effect.forkIn(
          Effect.ensuring(Effect.interruptible(timed(task)), finished),
          scope
        )
        return yield* restore(Fiber.join(running))
      })
    )

  return { inTurn }
})
