import { Effect, Layer } from "effect"
import { nativeWithoutUrl } from "../../src/content/nativeWithoutUrl.ts"
import { readMarkdown } from "../../src/content/read.ts"
import { nativeOfMarkdown, readNative } from "../../src/content/readNative.ts"
import { markdownWithoutUrl } from "../../src/content/withoutUrls.ts"
import { SectionReader } from "../../src/ports/SectionReader.ts"

/** Reads where it is asked, on the thread of the requests. */
export const layer = Layer.succeed(
  SectionReader,
  SectionReader.of({
    read: (source) => Effect.sync(() => readMarkdown(source)),
    readNative: (document) => Effect.sync(() => readNative(document)),
    nativeOf: (source) => Effect.sync(() => nativeOfMarkdown(source)),
    withoutUrl: (source, url) => Effect.sync(() => markdownWithoutUrl(source, url)),
    nativeWithoutUrl: (document, url) => Effect.sync(() => nativeWithoutUrl(document, url))
  })
)
