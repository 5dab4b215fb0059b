import { Worker } from "node:worker_threads"
import { Cause, Effect, Schema } from "effect"

/** Nobody answers: too many questions wait, the thread that had it is lost for the second time, or the pool has ended. */
export class ThreadsUnavailable extends Schema.TaggedError<ThreadsUnavailable>()("ThreadsUnavailable", {
  reason: Schema.String
}) {}

/** What a thread is sent; it answers a {@link ThreadAnswer} of the same number. */
export interface ThreadQuestion<Question> {
  readonly number: number
  readonly question: Question
}

export interface ThreadAnswer<Answer> {
  readonly number: number
  readonly answer: Answer
}

export interface ThreadPoolOptions {
  /** The module that each thread runs; it answers every message, in any order. */
  readonly program: URL
  readonly threads: number
  /** Questions that are unanswered at once, in all threads; more are refused. */
  readonly waitingMax: number
}

/** A question with a way to answer it; the second thread that is lost with it was its last. */
interface Job<Question, Answer> {
  readonly question: Question
  readonly settle: (answered: Effect.Effect<Answer, ThreadsUnavailable>) => void
  threadsLost: number
}

// A thread has little to remember; what it forgets is gone quickly.
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 }

const unavailable = (reason: string) => Effect.fail(new ThreadsUnavailable({ reason }))

/** One thread and its successors: started by the first question, and again by the first after it was lost. */
const makeThread = <Question, Answer>(program: URL, onLost: (cause: unknown) => void) => {
  const jobs = new Map<number, Job<Question, Answer>>()
  let worker: Worker | undefined
  let asked = 0

  const start = () => {
    const started = new Worker(program, { resourceLimits })
    started.on("message", ({ answer, number }: ThreadAnswer<Answer>) => {
      const job = jobs.get(number)
      jobs.delete(number)
      job?.settle(Effect.succeed(answer))
    })
    started.once("error", (cause) => lost(started, cause))
    started.once("exit", (code) => lost(started, `it ended with ${code}`))
    return started
  }

  const ask = (job: Job<Question, Answer>) => {
    const message: ThreadQuestion<Question> = { number: ++asked, question: job.question }
    try {
      worker ??= start()
      worker.postMessage(message, [])
      jobs.set(message.number, job)
    } catch (cause) {
      // The system has no thread to give.
      onLost(cause)
      job.settle(unavailable("a thread does not start"))
    }
  }

  // Which of the questions it was cannot be seen, so each has one more try.
  const lost = (which: Worker, cause: unknown) => {
    if (worker !== which) return
    worker = undefined
    onLost(cause)
    const unanswered = [...jobs.values()]
    jobs.clear()
    for (const job of unanswered) {
      if (++job.threadsLost < 2) ask(job)
      else job.settle(unavailable("a thread was lost twice"))
    }
  }

  const end = async () => {
    const last = worker
    worker = undefined
    const unanswered = [...jobs.values()]
    jobs.clear()
    for (const job of unanswered) job.settle(unavailable("the threads end"))
    await last?.terminate()
  }

  return { ask, end, load: () => jobs.size }
}

/**
 * Threads that answer questions, so that what takes long keeps nobody else waiting. Each is started by its first
 * question; one that is lost has a successor, which gets its questions once more. All end with the scope. Whoever is
 * interrupted waits no more, and what they asked counts until its thread is done with it.
 */
export const makeThreadPool = Effect.fnUntraced(function* <Question, Answer>(options: ThreadPoolOptions) {
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  const onLost = (cause: unknown) =>
    void runFork(
      Effect.annotateLogs(Effect.logError("A thread was lost", Cause.die(cause)), {
        program: options.program.href
      })
    )
  const threads = Array.from({ length: options.threads }, () =>
    makeThread<Question, Answer>(options.program, onLost)
  )
  let hasEnded = false
  yield* Effect.addFinalizer(() =>
    Effect.promise(() => {
      hasEnded = true
      return Promise.all(threads.map(({ end }) => end()))
    })
  )

  const waiting = () => threads.reduce((sum, { load }) => sum + load(), 0)
  const idlest = () => threads.reduce((least, it) => (it.load() < least.load() ? it : least))

  const ask = (question: Question) =>
    Effect.callback<Answer, ThreadsUnavailable>((resume) => {
      if (hasEnded) return resume(unavailable("the threads have ended"))
      if (waiting() >= options.waitingMax) return resume(unavailable("too many wait"))
      idlest().ask({ question, settle: resume, threadsLost: 0 })
    })

  return { ask }
})
