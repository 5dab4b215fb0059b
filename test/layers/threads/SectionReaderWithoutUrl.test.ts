import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SectionReaderDirect from "../../../layers/testing/SectionReaderDirect.ts"
import * as SectionReaderWorkers from "../../../layers/threads/SectionReaderWorkers.ts"
import type { NativeDocument } from "../../../schemas/publishing/content/NativeDocument.ts"
import { SectionReader } from "../../../src/platform/ports/SectionReader.ts"
import { withoutUrlQuickly } from "../../../src/publishing/content/removal/markdownWithoutUrl.ts"

const url = "https://media.test/rejected.png"
const stretch = "Some **bold** words, [a link](https://a.test)"
const long = `${stretch} ![a](${url}).\n\n![b](${url})\n\n`.repeat(500)

const adapters = {
  "in threads": SectionReaderWorkers.layer(),
  "where it is asked": SectionReaderDirect.layer
}

for (const [name, adapter] of Object.entries(adapters)) {
  layer(adapter)(`a URL is removed ${name}`, (it) => {
    it.effect("from a short section, a long one and one that is too complex", () =>
      Effect.gen(function* () {
        const reader = yield* SectionReader
        assert.isUndefined(withoutUrlQuickly(long, url))
        assert.strictEqual(yield* reader.withoutUrl(`a ![x](${url}) b`, url), "a  b")
        assert.strictEqual(
          (yield* reader.withoutUrl(long, url)).trimEnd(),
          `${stretch} .\n\n`.repeat(500).trimEnd()
        )
        const deep = "1. ".repeat(60_000)
        assert.strictEqual(yield* reader.withoutUrl(`${deep}![x](${url})`, url), `${deep}![x]()`)
      })
    )

    it.effect("from a native document", () =>
      Effect.gen(function* () {
        const reader = yield* SectionReader
        const words = { type: "paragraph", content: [{ type: "text", text: "a" }] }
        const document: NativeDocument = {
          type: "doc",
          content: [words, { type: "image", attrs: { src: url } }]
        }
        assert.deepStrictEqual(yield* reader.nativeWithoutUrl(document, url), {
          type: "doc",
          content: [words]
        })
      })
    )
  })
}
