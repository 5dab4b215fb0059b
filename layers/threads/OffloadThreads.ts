import { availableParallelism } from "node:os"
import { Effect, Layer } from "effect"
import { DependencyUnavailable } from "../../src/platform/ports/DependencyUnavailable.ts"
import { Offload, type TaskTooExpensive } from "../../src/platform/ports/Offload.ts"
import type { Task, TaskPool } from "../../src/platform/ports/tasks.ts"
import { makeThreadPool, type ThreadPoolOptions } from "./threadPool.ts"

/** One or two threads for each pool; another processor is left to the requests. */
const threads = Math.max(1, Math.min(2, availableParallelism() - 1))

/** Time that a task waits for its turn. A caller should not wait longer to learn that the machine is too busy. */
const WAIT = "5 seconds"

// The programs lie next to the sources and next to the built files.
const programOf = (name: string) =>
  new URL(`./${name}${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url)

interface PoolOptions extends ThreadPoolOptions {
  /** Name of the pool in the log. */
  readonly dependency: string
}

const pools: Readonly<Record<TaskPool, PoolOptions>> = {
  sections: {
    dependency: "section reader",
    program: programOf("sectionThread"),
    threads,
    processorTime: "2 seconds",
    // A busy machine gives a thread a part of a processor. A late answer is better than a refusal that repeats.
    deadline: "20 seconds",
    waitMax: WAIT,
    unfinishedMax: 128,
    unfinishedPerKeyMax: 16,
    resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 8 }
  },
  signatures: {
    dependency: "signature verification",
    program: programOf("signatureThread"),
    threads,
    processorTime: "2 seconds",
    deadline: "8 seconds",
    waitMax: WAIT,
    unfinishedMax: 512,
    // More than the payments that one address may send in a minute.
    unfinishedPerKeyMax: 64,
    resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 }
  },
  files: {
    dependency: "file reader",
    program: programOf("fileThread"),
    threads,
    processorTime: "2 seconds",
    deadline: "8 seconds",
    waitMax: WAIT,
    unfinishedMax: 32,
    unfinishedPerKeyMax: 10,
    resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 }
  }
}

const makePool = Effect.fnUntraced(function* ({ dependency, ...options }: PoolOptions) {
  const pool = yield* makeThreadPool(options)
  const unavailable = () => Effect.die(new DependencyUnavailable({ dependency }))

  return <Input, Output>({ name }: Task<Input, Output>, input: Input, key: string) =>
    pool.ask(key, { name, input }).pipe(
      Effect.tapErrorTag("TaskTooExpensive", ({ exceeded }) =>
        Effect.logWarning(`A task was ended: it exceeded its ${exceeded}`)
      ),
      Effect.tapErrorTag("ThreadLost", (lost) => Effect.logError("A thread was lost", lost)),
      Effect.annotateLogs({ dependency, task: name }),
      Effect.catchTags({ ThreadLost: unavailable, TurnsExhausted: unavailable }),
      Effect.flatMap((reply): Effect.Effect<Output, TaskTooExpensive> =>
        "thrown" in reply ? Effect.die(reply.thrown) : Effect.succeed(reply.output as Output)
      )
    )
})

/**
 * Runs tasks in worker threads. Each pool starts its threads with its first task, one or two, and replaces a thread that
 * exceeds its limits. `overrides` replaces options of every pool.
 */
export const layer = (overrides: Partial<ThreadPoolOptions> = {}) =>
  Layer.effect(
    Offload,
    Effect.gen(function* () {
      const run = {
        sections: yield* makePool({ ...pools.sections, ...overrides }),
        signatures: yield* makePool({ ...pools.signatures, ...overrides }),
        files: yield* makePool({ ...pools.files, ...overrides })
      }
      return Offload.of({ run: (task, input, key) => run[task.pool](task, input, key) })
    })
  )
