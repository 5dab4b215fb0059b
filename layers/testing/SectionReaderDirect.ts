import { Effect, Layer } from "effect"
import { SectionReader } from "../../src/platform/ports/SectionReader.ts"
import { nativeOfMarkdown, readNative } from "../../src/publishing/content/native/readNative.ts"
import { readMarkdown } from "../../src/publishing/content/reading/readMarkdown.ts"
import { markdownWithoutUrl } from "../../src/publishing/content/removal/markdownWithoutUrl.ts"
import { nativeWithoutUrl } from "../../src/publishing/content/removal/nativeWithoutUrl.ts"

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
