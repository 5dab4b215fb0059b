import { type Duration, Effect, Exit, Schema, Semaphore } from "effect"
import {
  type PooledProcess,
  ProcessesUnavailable,
  ProcessLost,
  type Program,
  startProcess
} from "./pooledProcess.ts"

export interface ProcessPoolOptions<Answer> extends Program {
  /** Schema of an answer. An answer that does not decode counts as a crash. */
  readonly answer: Schema.Decoder<Answer>
  /** Processes at the same time, each with one job; more jobs wait. */
  readonly processes: number
  /** Time for a job, with the start of its process and without the wait for a free one. Then the process is killed. */
  readonly deadline: Duration.Input
  /** Number of jobs after which a process is replaced. */
  readonly jobsPerProcess: number
  /** Memory in bytes above which a process is replaced after its job. */
  readonly rssMax: number
}

/** A process and the number of its jobs. */
interface Kept {
  readonly process: PooledProcess
  readonly jobs: number
}

/**
 * Makes processes for jobs that may hang, crash or take their process over. A job starts a process when it finds none
 * free. The pool kills a process whose job is late or whose caller is interrupted. All processes end with the scope.
 */
export const makeProcessPool = Effect.fnUntraced(function* <Answer>(options: ProcessPoolOptions<Answer>) {
  const decode = Schema.decodeUnknownEffect(options.answer)
  const free = yield* Semaphore.make(options.processes)
  const living = new Set<PooledProcess>()
  const idle: Array<Kept> = []
  let hasEnded = false

  yield* Effect.addFinalizer(() => {
    hasEnded = true
    return Effect.forEach([...living], ({ end }) => end, { concurrency: "unbounded", discard: true })
  })

  const end = Effect.fnUntraced(function* (process: PooledProcess) {
    yield* process.end
    living.delete(process)
  })

  const take = Effect.gen(function* () {
    if (hasEnded) return yield* new ProcessesUnavailable({ cause: new Error("the pool has ended") })
    while (true) {
      const kept = idle.pop()
      if (kept === undefined) break
      if (!kept.process.hasEnded()) return kept
      yield* end(kept.process)
    }
    const process = yield* startProcess(options)
    living.add(process)
    return { process, jobs: 0 }
  })

  const late = (process: PooledProcess) =>
    Effect.suspend((): Effect.Effect<never, ProcessLost | ProcessesUnavailable> =>
      process.wasReady()
        ? Effect.fail(new ProcessLost({ reason: "deadline", detail: "it was killed at its deadline" }))
        : Effect.fail(new ProcessesUnavailable({ cause: new Error("it was not ready in time") }))
    )

  const answerOf = Effect.fnUntraced(function* ({ process }: Kept, question: unknown, bytes: Uint8Array) {
    const { answer, rss } = yield* process.ask(question, bytes)
    const decoded = yield* Effect.mapError(
      decode(answer),
      () => new ProcessLost({ reason: "crashed", detail: "its message was not an answer" })
    )
    return { answer: decoded, rss }
  })

  const release = ({ jobs, process }: Kept, exit: Exit.Exit<{ readonly rss: number }, unknown>) => {
    const stays =
      Exit.isSuccess(exit) &&
      exit.value.rss <= options.rssMax &&
      jobs + 1 < options.jobsPerProcess &&
      !process.hasEnded()
    if (!stays) return end(process)
    return Effect.sync(() => void idle.push({ process, jobs: jobs + 1 }))
  }

  const run = (question: unknown, bytes: Uint8Array) =>
    Effect.acquireUseRelease(
      take,
      (kept) =>
        Effect.timeoutOrElse(answerOf(kept, question, bytes), {
          duration: options.deadline,
          orElse: () => late(kept.process)
        }),
      release
    ).pipe(
      Effect.map(({ answer }) => answer),
      free.withPermit,
      // The end of the pool is not a failure of the job.
      Effect.mapError((error) => (hasEnded ? new ProcessesUnavailable({ cause: error }) : error))
    )

  return { run }
})
