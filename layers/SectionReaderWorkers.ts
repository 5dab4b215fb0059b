import { availableParallelism } from "node:os"
import { Effect, Layer } from "effect"
import { readQuickly } from "../src/content/read.ts"
import { DependencyUnavailable } from "../src/ports/DependencyUnavailable.ts"
import { SectionReader } from "../src/ports/SectionReader.ts"
import type { SectionAnswers, SectionQuestion } from "./SectionReaderThread.ts"
import { makeThreadPool, type ThreadPoolOptions } from "./threadPool.ts"

/** The longest sections take a tenth of a second each, so one that waits does so for ten seconds at most. */
const WAITING_MAX = 100

// Beside the sources as beside what is built from them.
const program = new URL(
  `./SectionReaderThread${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`,
  import.meta.url
)

/** Another processor is left to the requests. */
const threads = Math.max(1, Math.min(2, availableParallelism() - 1))

const unavailable = Effect.die(new DependencyUnavailable({ dependency: "section reader" }))

/**
 * Reads long sections in threads of their own, so that the other requests of the process do not wait for it: one or
 * two, each started by the first section it is given. Short ones and prose of usual length are read where it is asked, in
 * less than three milliseconds. A 503 beyond 100 sections that wait.
 */
export const layer = (options: Partial<ThreadPoolOptions> = {}) =>
  Layer.effect(
    SectionReader,
    Effect.gen(function* () {
      const pool = yield* makeThreadPool<SectionQuestion, SectionAnswers[keyof SectionAnswers]>({
        program,
        threads,
        waitingMax: WAITING_MAX,
        ...options
      })
      const ask = <Ask extends SectionQuestion>(question: Ask) =>
        Effect.map(
          Effect.catchTag(pool.ask(question), "ThreadsUnavailable", () => unavailable),
          (answer) => answer as SectionAnswers[Ask["ask"]]
        )
      return SectionReader.of({
        read: Effect.fn("SectionReaderWorkers.read")((source) => {
          const reading = readQuickly(source)
          return reading === undefined ? ask({ ask: "read", source }) : Effect.succeed(reading)
        }),
        readNative: Effect.fn("SectionReaderWorkers.readNative")((document) =>
          ask({ ask: "readNative", document })
        ),
        nativeOf: Effect.fn("SectionReaderWorkers.nativeOf")((source) => ask({ ask: "nativeOf", source }))
      })
    })
  )
