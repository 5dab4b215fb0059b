import { Effect, Layer } from "effect"
import { readMarkdown } from "../../src/content/read.ts"
import { nativeOfMarkdown, readNative } from "../../src/content/readNative.ts"
import { SectionReader } from "../../src/ports/SectionReader.ts"

/** Reads where it is asked, on the thread of the requests. */
export const layer = Layer.succeed(
  SectionReader,
  SectionReader.of({
    read: (source) => Effect.sync(() => readMarkdown(source)),
    readNative: (document) => Effect.sync(() => readNative(document)),
    nativeOf: (source) => Effect.sync(() => nativeOfMarkdown(source))
  })
)
