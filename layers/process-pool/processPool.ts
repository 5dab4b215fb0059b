import { type Duration, Effect, Exit, Schema, Semaphore } from "effect"
import {
  type PooledProcess,
  ProcessesUnavailable,
  ProcessLost,
  type Program,
  startProcess
} from "./pooledProcess.ts"

export interface ProcessPoolOptions<Answer> extends Program {
  /** What every answer is; another is as good as a crash. */
  readonly answer: Schema.Decoder<Answer>
  /** Processes at once, each with one job; more jobs wait. */
  readonly processes: number
  /** How long a job may take, the start of its process included and waiting for it not; then the process is killed. */
  readonly deadline: Duration.Input
  /** Jobs after which a process has a successor. */
  readonly jobsPerProcess: number
  /** Bytes of memory beyond which a process has a successor after its job. */
  readonly rssMax: number
}

/** A process and how many jobs it has done. */
interface Kept {
  readonly process: PooledProcess
  readonly jobs: number
}

/**
 * Processes that do jobs which may hang, crash or take their process over: each is started by the first job that finds
 * none free, kept warm, and killed with whatever it does when its job is late or its caller is interrupted. All end with
 * the scope.
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
      () => new ProcessLost({ reason: "crashed", detail: "it said what is no answer" })
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
      // Whoever ended the pool killed its process, and not the job.
      Effect.mapError((error) => (hasEnded ? new ProcessesUnavailable({ cause: error }) : error))
    )

  return { run }
})
