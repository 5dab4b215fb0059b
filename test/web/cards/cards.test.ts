import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { uploaderOf } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { assertPrivate, browser } from "../browser.ts"
import { authorOf, draftOf, press } from "../write/author.ts"
import { sentForm } from "../write/sentForm.ts"

/** Returns the path of the picture that the page of a post names. */
const pictureIn = (page: string) => {
  const [, url = ""] = /<meta property="og:image" content="([^"]*)"/.exec(page) ?? assert.fail(page)
  return url.replace("https://press.test", "")
}

const isPng = (bytes: Uint8Array | undefined) => bytes?.slice(0, 4).join() === "137,80,78,71"

layer(service(database("test_web_cards")))("the picture of a shared link", (it) => {
  it.effect(
    "A post without an image has a drawn one, with its size, at an address that changes with its title",
    () =>
      Effect.gen(function* () {
        const client = yield* TestClient
        const reader = yield* authorOf(1)
        const path = yield* draftOf(reader)
        yield* press(reader, path, "publish")
        const url = "/@writer_1/nine-degrees-from-upright"
        const page = (yield* client.send("GET", url)).text
        for (const meta of [
          '<meta property="og:image:width" content="1200" />',
          '<meta property="og:image:height" content="630" />',
          '<meta name="twitter:card" content="summary_large_image" />'
        ])
          assert.include(page, meta)
        const picture = pictureIn(page)
        assert.match(picture, /^\/cards\/[0-9a-f-]{36}\/[\w-]{16}\.png$/)

        const first = yield* client.send("GET", picture)
        assert.strictEqual(first.status, 200)
        assert.strictEqual(first.headers.get("content-type"), "image/png")
        assert.match(first.headers.get("cache-control") ?? "", /^public, max-age=300,/)
        assert.isTrue(isPng(first.bytes))
        // Pages of other sites show it.
        assert.strictEqual(first.headers.get("cross-origin-resource-policy"), "cross-origin")
        const etag = first.headers.get("etag") ?? ""
        const again = yield* client.send("GET", picture, { headers: { "if-none-match": etag } })
        assert.deepStrictEqual([again.status, again.text], [304, ""])
        const head = yield* client.send("HEAD", picture)
        assert.deepStrictEqual([head.status, head.text], [200, ""])

        const form = sentForm((yield* reader.get(path)).text)
        yield* reader.post(path, { ...form, title: "Ten degrees <from> upright" })
        const moved = yield* client.send("GET", picture)
        const now = pictureIn((yield* client.send("GET", url)).text)
        assert.notStrictEqual(now, picture)
        assert.deepStrictEqual([moved.status, moved.headers.get("location")], [302, now])
        assert.strictEqual((yield* client.send("GET", now)).status, 200)
        // The picture follows the title of the preview card, too.
        const decided = sentForm((yield* reader.get(`${path}/publish`)).text)
        yield* reader.post(`${path}/publish`, { ...decided, act: "save", cardTitle: "Eleven" })
        assert.notStrictEqual(pictureIn((yield* client.send("GET", url)).text), now)

        yield* press(reader, path, "unpublish")
        for (const gone of [picture, now]) assert.strictEqual((yield* client.send("GET", gone)).status, 404)
      })
  )

  it.effect("An image of the post is its picture", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* uploaderOf(2)
      const draft = yield* author.draft({ freeContentMarkdown: "![](https://x.test/a.png)" })
      const { url } = (yield* author.publish(draft.id)).body
      const page = yield* client.send("GET", new URL(url).pathname)
      assert.strictEqual(pictureIn(page.text), "https://x.test/a.png")
      assert.notInclude(page.text, "og:image:width")
    })
  )

  it.effect("The picture of a draft is for its author alone", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const reader = yield* authorOf(3)
      const path = yield* draftOf(reader)
      const own = yield* reader.get(`${path}/card.png`)
      assert.strictEqual(own.status, 200, own.text)
      assert.strictEqual(own.headers.get("content-type"), "image/png")
      assertPrivate(own)
      assert.isTrue(isPng(own.bytes))
      const other = yield* authorOf(4)
      assert.strictEqual((yield* other.get(`${path}/card.png`)).status, 404)
      const stranger = yield* browser
      const refused = yield* stranger.get(`${path}/card.png`)
      assert.notInclude(refused.headers.get("content-type") ?? "", "image")
      const id = path.replace("/write/", "")
      for (const target of [`/cards/${id}/x.png`, "/cards/none/x.png", `/cards/${id}`, "/cards"])
        assert.strictEqual((yield* client.send("GET", target)).status, 404, target)
    })
  )

  it.effect("A title of any signs and scripts has a picture", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* uploaderOf(5)
      const titles = [`</svg><script>&`, "日本語の題名", "כותרת", "🚀", "W".repeat(200)]
      for (const title of titles) {
        const draft = yield* author.draft({ title })
        const { url } = (yield* author.publish(draft.id)).body
        const page = yield* client.send("GET", new URL(url).pathname)
        const picture = yield* client.send("GET", pictureIn(page.text))
        assert.strictEqual(picture.status, 200, title)
        assert.isTrue(isPng(picture.bytes), title)
      }
    })
  )
})
