import { Effect, Layer } from "effect"
import { SectionReader } from "../../src/platform/ports/SectionReader.ts"
import { readQuickly } from "../../src/publishing/content/reading/readMarkdown.ts"
import { withoutUrlQuickly } from "../../src/publishing/content/removal/markdownWithoutUrl.ts"
import { makeDependencyThreads } from "./dependencyThreads.ts"
import type { SectionAnswers, SectionQuestion } from "./SectionReaderThread.ts"
import type { ThreadPoolOptions } from "./threadPool.ts"

/** The longest sections take a tenth of a second each, so one that waits does so for ten seconds at most. */
const WAITING_MAX = 100

/**
 * Reads long sections in threads of their own, so that the other requests of the process do not wait for it: one or
 * two, each started by the first section it is given. Short ones and prose of usual length are read where it is asked, in
 * less than three milliseconds. A 503 beyond 100 sections that wait.
 */
export const layer = (options: Partial<ThreadPoolOptions> = {}) =>
  Layer.effect(
    SectionReader,
    Effect.gen(function* () {
      const threads = yield* makeDependencyThreads<SectionQuestion, SectionAnswers[keyof SectionAnswers]>(
        { dependency: "section reader", program: "SectionReaderThread", waitingMax: WAITING_MAX },
        options
      )
      const ask = <Ask extends SectionQuestion>(question: Ask) =>
        Effect.map(threads.ask(question), (answer) => answer as SectionAnswers[Ask["ask"]])
      return SectionReader.of({
        read: Effect.fn("SectionReaderWorkers.read")((source) => {
          const reading = readQuickly(source)
          return reading === undefined ? ask({ ask: "read", source }) : Effect.succeed(reading)
        }),
        readNative: Effect.fn("SectionReaderWorkers.readNative")((document) =>
          ask({ ask: "readNative", document })
        ),
        nativeOf: Effect.fn("SectionReaderWorkers.nativeOf")((source) => ask({ ask: "nativeOf", source })),
        withoutUrl: Effect.fn("SectionReaderWorkers.withoutUrl")((source, url) => {
          const result = withoutUrlQuickly(source, url)
          return result === undefined ? ask({ ask: "withoutUrl", source, url }) : Effect.succeed(result)
        }),
        nativeWithoutUrl: Effect.fn("SectionReaderWorkers.nativeWithoutUrl")((document, url) =>
          ask({ ask: "nativeWithoutUrl", document, url })
        )
      })
    })
  )
