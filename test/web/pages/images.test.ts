import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { jpegMetadata, jpegOf } from "../../publishing/image-formats/jpeg/makeJpeg.ts"
import { uploaderOf } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { validated } from "./documents.ts"

/** A photo that its camera laid on its side. */
const turned = Effect.promise(async () => ({
  name: "file",
  fileName: "photo.jpg",
  mediaType: "image/jpeg",
  content: await jpegOf({ width: 24, height: 8, segments: jpegMetadata(6) })
}))

const FOREIGN = "https://x.test/a.png"

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
      const text = `![one](${first})\n\n![two](${second})\n\n![three](${FOREIGN})`
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
          [first, "8", "8", undefined, undefined],
          [second, "8", "24", "lazy", "async"],
          [FOREIGN, undefined, undefined, "lazy", "async"]
        ]
      )
      const card = (name: string) =>
        elements.find(({ attributes }) => attributes["property"] === name)?.attributes["content"]
      assert.deepStrictEqual(["og:image", "og:image:width", "og:image:height"].map(card), [first, "8", "8"])
      const feed = yield* client.send("GET", `/@${author.handle}/feed.json`)
      assert.include(JSON.parse(feed.text).items[0].content_html, `src="${first}" width="8" height="8"`)
    })
  )
})
