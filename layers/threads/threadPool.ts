import { Duration, Effect, Fiber, Pool, Schema } from "effect"
import type { WorkerError } from "effect/workers/WorkerError"
import { TaskTooExpensive } from "../../src/platform/ports/Offload.ts"
import { type FairTurnsOptions, makeFairTurns } from "./fairTurns.ts"
import { makeThread, type TaskRequest, type Thread, type ThreadOptions } from "./thread.ts"

/** A thread did not start, or ended in the middle of a task for another reason than its limits. */
export class ThreadLost extends Schema.TaggedError<ThreadLost>()("ThreadLost", { cause: Schema.Defect() }) {}

export interface ThreadPoolOptions extends ThreadOptions, Omit<FairTurnsOptions, "permits"> {
  /** Maximum number of threads at the same time. */
  readonly threads: number
  /** Processor time that a task may use. */
  readonly processorTime: Duration.Input
  /** Time that a thread has for a task on a busy machine, without the wait for a turn and the start of the thread. */
  readonly deadline: Duration.Input
}

/** Time after which a thread without a task ends. */
const IDLE_TIME = "10 minutes"

/** Waits until the thread has used this processor time from now on. */
const used = Effect.fnUntraced(function* ({ processorMillis }: Thread, processorTime: Duration.Input) {
  const limit = Duration.toMillis(processorTime)
  const before = yield* Effect.forkChild(processorMillis, { startImmediately: true })
  let left = limit
  while (left > 0) {
    yield* Effect.sleep(left)
    const now = yield* processorMillis
    left = Number.isFinite(now) ? limit - (now - (yield* Fiber.join(before))) : 0
  }
})

const outOfMemory = Schema.Struct({ code: Schema.Literal("ERR_WORKER_OUT_OF_MEMORY") })

const lossOf = (error: WorkerError) =>
  Schema.is(outOfMemory)(error.reason.cause)
    ? new TaskTooExpensive({ exceeded: "memory" })
    : new ThreadLost({ cause: error })

const tooExpensive = Effect.fail(new TaskTooExpensive({ exceeded: "processor time" }))
const tooLate = Effect.fail(
  new ThreadLost({ cause: "The machine is too busy: the task was not done by its deadline" })
)

/**
 * Makes threads that run one task each. The first task that finds no free thread starts one. A thread that exceeds a
 * limit in the middle of a task is ended in any case, and a later task starts its successor. All threads end with
 * the scope.
 */
export const makeThreadPool = Effect.fnUntraced(function* (options: ThreadPoolOptions) {
  const { deadline, processorTime, threads } = options
  const pool = yield* Pool.makeWithTTL({
    acquire: Effect.mapError(makeThread(options), lossOf),
    min: 0,
    max: threads,
    timeToLive: IDLE_TIME
  })
  // Made after the pool, so that the scope interrupts the tasks before the pool waits for them.
  const { inTurn } = yield* makeFairTurns({ ...options, permits: threads })

  /**
   * Runs a task in the turn of its key. Fails with `TurnsExhausted` when too many tasks are unfinished, with
   * `TaskTooExpensive` when the task exceeds its processor time or memory, and with `ThreadLost`.
   */
  const ask = (key: string, request: TaskRequest) =>
    inTurn(
      key,
      Pool.use(pool, (thread) =>
        Effect.mapError(thread.ask(request), lossOf).pipe(
          Effect.raceFirst(Effect.andThen(used(thread, processorTime), tooExpensive)),
          Effect.timeoutOrElse({ duration: deadline, orElse: () => tooLate }),
          Effect.onError(() => Pool.invalidate(pool, thread))
        )
      )
    )

  return { ask }
})
