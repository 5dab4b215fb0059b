import { Effect, Layer } from "effect"
import { SectionReader } from "../../src/platform/ports/SectionReader.ts"
import { nativeWithoutUrl } from "../../src/publishing/content/nativeWithoutUrl.ts"
import { readMarkdown } from "../../src/publishing/content/read.ts"
import { nativeOfMarkdown, readNative } from "../../src/publishing/content/readNative.ts"
import { markdownWithoutUrl } from "../../src/publishing/content/withoutUrls.ts"

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
