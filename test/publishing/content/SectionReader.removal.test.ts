import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as OffloadInline from "../../../layers/testing/OffloadInline.ts"
import * as OffloadThreads from "../../../layers/threads/OffloadThreads.ts"
import { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { NativeDocument } from "../../../schemas/publishing/posts/NativeDocument.ts"
import { withoutUrlsQuickly } from "../../../src/publishing/content/removal/markdownWithoutUrls.ts"
import { SectionReader } from "../../../src/publishing/content/SectionReader.ts"
import { ownMediaLayer } from "../../support/ownMedia.ts"

const owner = OwnerId.make("019a0000-0000-7000-8000-000000000001")
const url = "https://media.test/rejected.png"
const PATH = "/media/0197a1b2-57c3-7000-8000-5d1c9e0f2b71.png"
const elsewhere = `![](https://other.test${PATH})`
const stretch = "Some **bold** words, [a link](https://a.test)"
const long = `${stretch} ![a](${url}).\n\n![b](${url})\n\n`.repeat(500)

const adapters = {
  "in threads": OffloadThreads.layer(),
  inline: OffloadInline.layer
}

for (const [name, adapter] of Object.entries(adapters)) {
  layer(SectionReader.layer.pipe(Layer.provide([adapter, ownMediaLayer])))(
    `a URL is removed ${name}`,
    (it) => {
      it.effect("An image of the service leaves every text by its path, and has its path in HTML", () =>
        Effect.gen(function* () {
          const reader = yield* SectionReader
          for (const address of [PATH, `https://press.test${PATH}`]) {
            const image = `![x](${address})`
            assert.strictEqual(yield* reader.withoutUrls(owner, `a ${image} b`, [PATH]), "a  b")
            assert.notInclude(yield* reader.withoutUrls(owner, `${image}\n\n${long}`, [PATH]), PATH)
            const deep = "1. ".repeat(60_000)
            assert.strictEqual(yield* reader.withoutUrls(owner, `${deep}${image}`, [PATH]), `${deep}![x]()`)
            assert.strictEqual((yield* reader.read(owner, `${image}\n\n${long}`)).firstImage, PATH)
            for (const source of [image, `${image}\n\n${long}`])
              assert.include((yield* reader.pageText(owner, { source })).html, `<img src="${PATH}"`)
          }
          assert.include(
            (yield* reader.pageText(owner, { source: elsewhere })).html,
            `https://other.test${PATH}`
          )
        })
      )

      it.effect("A URL leaves a short section, a long one and one that is too complex", () =>
        Effect.gen(function* () {
          const reader = yield* SectionReader
          assert.isUndefined(withoutUrlsQuickly(long, [url]))
          assert.strictEqual(yield* reader.withoutUrls(owner, `a ![x](${url}) b`, [url]), "a  b")
          assert.strictEqual(
            (yield* reader.withoutUrls(owner, long, [url])).trimEnd(),
            `${stretch} .\n\n`.repeat(500).trimEnd()
          )
          const deep = "1. ".repeat(60_000)
          assert.strictEqual(yield* reader.withoutUrls(owner, `${deep}![x](${url})`, [url]), `${deep}![x]()`)
        })
      )

      it.effect("A URL leaves a native document", () =>
        Effect.gen(function* () {
          const reader = yield* SectionReader
          const words = { type: "paragraph", content: [{ type: "text", text: "a" }] }
          const document: NativeDocument = {
            type: "doc",
            content: [words, { type: "image", attrs: { src: url } }]
          }
          assert.deepStrictEqual(yield* reader.nativeWithoutUrl(owner, document, url), {
            type: "doc",
            content: [words]
          })
        })
      )
    }
  )
}
