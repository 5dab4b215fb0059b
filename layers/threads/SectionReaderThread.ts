import { parentPort } from "node:worker_threads"
import type { NativeDocument } from "../../schemas/publishing/content/NativeDocument.ts"
import type { NativeReading, SectionReading } from "../../src/platform/ports/SectionReader.ts"
import { nativeOfMarkdown, readNative } from "../../src/publishing/content/native/readNative.ts"
import { readMarkdown } from "../../src/publishing/content/reading/readMarkdown.ts"
import { markdownWithoutUrl } from "../../src/publishing/content/removal/markdownWithoutUrl.ts"
import { nativeWithoutUrl } from "../../src/publishing/content/removal/nativeWithoutUrl.ts"
import type { ThreadAnswer, ThreadQuestion } from "./threadPool.ts"

/** What is asked of a thread that reads. */
export type SectionQuestion =
  | { readonly ask: "read"; readonly source: string }
  | { readonly ask: "readNative"; readonly document: NativeDocument }
  | { readonly ask: "nativeOf"; readonly source: string }
  | { readonly ask: "withoutUrl"; readonly source: string; readonly url: string }
  | { readonly ask: "nativeWithoutUrl"; readonly document: NativeDocument; readonly url: string }

/** What it answers to each. */
export interface SectionAnswers {
  readonly read: SectionReading
  readonly readNative: NativeReading
  readonly nativeOf: NativeDocument
  readonly withoutUrl: string
  readonly nativeWithoutUrl: NativeDocument
}

const answerTo = (question: SectionQuestion): SectionAnswers[SectionQuestion["ask"]] => {
  switch (question.ask) {
    case "read":
      return readMarkdown(question.source)
    case "readNative":
      return readNative(question.document)
    case "nativeOf":
      return nativeOfMarkdown(question.source)
    case "withoutUrl":
      return markdownWithoutUrl(question.source, question.url)
    case "nativeWithoutUrl":
      return nativeWithoutUrl(question.document, question.url)
  }
}

// The program of a thread; see SectionReaderWorkers.
parentPort?.on("message", ({ number, question }: ThreadQuestion<SectionQuestion>) => {
  const answer = answerTo(question)
  parentPort?.postMessage({ number, answer } satisfies ThreadAnswer<unknown>, [])
})
