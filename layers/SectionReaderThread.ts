import { parentPort } from "node:worker_threads"
import type { NativeDocument } from "../schemas/content/NativeDocument.ts"
import { readMarkdown } from "../src/content/read.ts"
import { nativeOfMarkdown, readNative } from "../src/content/readNative.ts"
import type { NativeReading, SectionReading } from "../src/ports/SectionReader.ts"
import type { ThreadAnswer, ThreadQuestion } from "./threadPool.ts"

/** What is asked of a thread that reads. */
export type SectionQuestion =
  | { readonly ask: "read"; readonly source: string }
  | { readonly ask: "readNative"; readonly document: NativeDocument }
  | { readonly ask: "nativeOf"; readonly source: string }

/** What it answers to each. */
export interface SectionAnswers {
  readonly read: SectionReading
  readonly readNative: NativeReading
  readonly nativeOf: NativeDocument
}

const answerTo = (question: SectionQuestion): SectionAnswers[SectionQuestion["ask"]] => {
  switch (question.ask) {
    case "read":
      return readMarkdown(question.source)
    case "readNative":
      return readNative(question.document)
    case "nativeOf":
      return nativeOfMarkdown(question.source)
  }
}

// The program of a thread; see SectionReaderWorkers.
parentPort?.on("message", ({ number, question }: ThreadQuestion<SectionQuestion>) => {
  const answer = answerTo(question)
  parentPort?.postMessage({ number, answer } satisfies ThreadAnswer<unknown>, [])
})
