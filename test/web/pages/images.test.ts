import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ImageDecoderMemory } from "../../../layers/testing/ImageDecoderMemory.ts"
import { jpegMetadata, jpegOf } from "../../publishing/image-formats/jpeg/makeJpeg.ts"
import { pngOf } from "../../publishing/image-formats/png/makePng.ts"
import { webpOf } from "../../publishing/image-formats/webp/makeWebp.ts"
import { pngFile, uploaderOf, workOff } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service, type TestAnswer, TestClient } from "../../support/TestClient.ts"
import { validated } from "./documents.ts"

/** A photo that its camera laid on its side. */
const turned = Effect.promise(async () => ({
  name: "file",
  fileName: "photo.jpg",
  mediaType: "image/jpeg",
  content: await jpegOf({ width: 24, height: 8, segments: jpegMetadata(6) })
}))

const FOREIGN = "https://x.test/a.png"

const pathOf = (url: string) => new URL(url).pathname

layer(service(database("test_reading_images")))("images on the page of a Post", (it) => {
  it.effect("Images have the size that the service knows, so that the text does not move", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* uploaderOf(1)
      const draft = yield* author.draft()
      const first = (yield* author.inline(draft)).body.publicUrl
      const part = yield* turned
      const second = (yield* author.inline((yield* author.read(draft.id)).body, { parts: [part] })).body
        .publicUrl
      const text = `![one](${first} "A hen")\n\n![two](${second})\n\n![three](${FOREIGN})`
      yield* author.patch(draft.id, { freeContentMarkdown: text })
      const { body } = yield* author.publish(draft.id)

      const page = yield* client.send("GET", new URL(body.url).pathname)
      const elements = validated(page.text)
      const images = elements.filter(({ attributes, tag }) => tag === "img" && "alt" in attributes)
      assert.deepStrictEqual(
        images.map(({ attributes: { decoding, height, loading, src, width } }) => [
          src,
          width,
          height,
          loading,
          decoding
        ]),
        [
          [pathOf(first), "8", "8", undefined, undefined],
          [pathOf(second), "8", "24", "lazy", "async"],
          [FOREIGN, undefined, undefined, "lazy", "async"]
        ]
      )
      assert.match(
        page.text,
        /<figure><img [^>]* width="8" height="8"[^>]*>\s*<figcaption>A hen<\/figcaption><\/figure>/
      )
      const card = (name: string) =>
        elements.find(({ attributes }) => attributes["property"] === name)?.attributes["content"]
      assert.deepStrictEqual(["og:image", "og:image:width", "og:image:height"].map(card), [first, "8", "8"])
      const feed = yield* client.send("GET", `/@${author.handle}/feed.json`)
      assert.include(JSON.parse(feed.text).items[0].content_html, `src="${first}" width="8" height="8"`)
    })
  )

  const imagesOf = (page: TestAnswer) =>
    validated(page.text).filter(({ attributes, tag }) => tag === "img" && "alt" in attributes)

  it.effect("A browser chooses among the copies of an image, from the moment that they are made", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const decoder = yield* ImageDecoderMemory
      const author = yield* uploaderOf(2)
      const draft = yield* author.draft()
      const upload = Effect.fnUntraced(function* (width: number) {
        const part = { ...pngFile(), content: pngOf({ width, height: 4 }) }
        const { body } = yield* author.read(draft.id)
        const headers = { "x-upload-target-key": `node-${width}` }
        return (yield* author.inline(body, { parts: [part], headers })).body.publicUrl as string
      })
      const scaleTo = Effect.fnUntraced(function* (...widths: ReadonlyArray<number>) {
        const copies = widths.map((width) =>
          Effect.map(
            Effect.promise(() => webpOf({ width, height: 2 })),
            (webp) => ({ width, webp })
          )
        )
        yield* decoder.scaleNext(Effect.all(copies))
        yield* workOff
        yield* TestClock.adjust("11 seconds")
      })
      const first = yield* upload(700)
      yield* author.patch(draft.id, { freeContentMarkdown: `![one](${first})` })
      const { body } = yield* author.publish(draft.id)
      const path = new URL(body.url).pathname

      const sets = Effect.map(client.send("GET", path), (page) =>
        imagesOf(page)
          // Cards of other Posts have pictures, too.
          .filter(({ attributes }) => attributes["width"] !== "96")
          .map(({ attributes: { sizes, srcset } }) => [srcset, sizes !== undefined])
      )
      const list = Effect.map(client.send("GET", `/@${author.handle}`), (page) =>
        imagesOf(page).map(({ attributes }) => attributes)
      )
      assert.deepStrictEqual(yield* sets, [[undefined, false]])
      // Four rows of noise are few bytes.
      assert.deepStrictEqual(
        (yield* list).map(({ src }) => src),
        [pathOf(first)]
      )
      yield* scaleTo(320, 640)
      const copy = (url: string, width: number) => pathOf(url).replace(".png", `-${width}.webp`)
      const firstSet = [`${copy(first, 320)} 320w, ${copy(first, 640)} 640w, ${pathOf(first)} 700w`, true]
      assert.deepStrictEqual(yield* sets, [firstSet])
      assert.deepStrictEqual(yield* list, [
        { src: copy(first, 320), alt: "", width: "96", height: "72", loading: "lazy", decoding: "async" }
      ])
      const second = yield* upload(1300)
      yield* scaleTo(320, 640, 1280)
      yield* author.patch(draft.id, { freeContentMarkdown: `![one](${first})\n\n![two](${second})` })
      assert.deepStrictEqual(yield* sets, [
        firstSet,
        [`${copy(second, 320)} 320w, ${copy(second, 640)} 640w, ${copy(second, 1280)} 1280w`, true]
      ])
      const home = yield* client.send("GET", "/")
      assert.include(home.text, `src="${copy(first, 320)}"`)
      for (const feed of [`/@${author.handle}/feed.json`, `/@${author.handle}/atom.xml`, `${path}.md`]) {
        const { text } = yield* client.send("GET", feed)
        assert.include(text, first, feed)
        assert.notInclude(text, "-320.webp", feed)
      }
    })
  )

  it.effect(
    "A card has no picture of another Post, of another host, of the paid section, or one that is hidden",
    () =>
      Effect.gen(function* () {
        const client = yield* TestClient
        const author = yield* uploaderOf(3)
        const pictures = Effect.map(client.send("GET", `/@${author.handle}`), (page) =>
          imagesOf(page).map(({ attributes }) => attributes["src"])
        )
        const other = yield* author.draft()
        const foreign = (yield* author.inline(other)).body.publicUrl
        const draft = yield* author.draft({ title: "Paid" })
        const paid = (yield* author.inline(draft)).body.publicUrl
        yield* author.patch(draft.id, {
          freeContentMarkdown: `The teaser. ![](${FOREIGN})`,
          paidContentMarkdown: `![](${paid})`,
          enablePaywall: true,
          priceXno: "0.25"
        })
        const published = yield* author.publish(draft.id)
        assert.strictEqual(published.status, 200, published.text)
        assert.deepStrictEqual(yield* pictures, [])
        yield* author.patch(draft.id, { freeContentMarkdown: `![](${foreign})` })
        assert.deepStrictEqual(yield* pictures, [])

        const free = yield* author.draft()
        const sent = yield* author.inline(free)
        yield* author.patch(free.id, { freeContentMarkdown: `![](${sent.body.publicUrl})` })
        yield* author.publish(free.id)
        assert.deepStrictEqual(yield* pictures, [pathOf(sent.body.publicUrl)])
        const sql = yield* SqlClient.SqlClient
        yield* sql`update upload_operations set held = true where id = ${sent.body.safety.operationId}`
        yield* TestClock.adjust("11 seconds")
        assert.deepStrictEqual(yield* pictures, [])
      })
  )
})
