import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { NativeContents } from "../../../src/publishing/posts/NativeContents.ts"
import { uploaderOf, workOff } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { BASE_URL, service, TestClient } from "../../support/TestClient.ts"
import { rejecting } from "./screenings.ts"

const pathOf = (url: string) => new URL(url).pathname

/** Ways in which a text leads to an image at this path. */
const ways = (path: string): ReadonlyArray<string> => {
  const host = new URL(BASE_URL).host
  return [
    path,
    `${BASE_URL}${path}`,
    `${BASE_URL.toUpperCase()}${path}`,
    `${BASE_URL}:443${path}`,
    `//${host}${path}`,
    `http://${host}${path}`,
    `https://user:secret@${host}${path}`,
    `${path}?size=9#part`,
    `..${path}`,
    `/a/%2e%2e${path}`,
    path.replace("/media", "/%6Dedia")
  ]
}

/** Ways in which a text leads to another place. */
const others = (path: string): ReadonlyArray<string> => [
  `https://other.test${path}`,
  `//other.test${path}`,
  `https://other.test/?u=${BASE_URL}${path}`,
  `${BASE_URL}:8443${path}`,
  `${BASE_URL}.other.test${path}`,
  `${path}/../other.png`
]

layer(service(database("test_uploads_addresses")))("the address of an image in a text", (it) => {
  it.effect("An image is associated by every address that leads to it, and by no other", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const post = yield* author.draft()
      const sent = yield* author.inline(post)
      const path = pathOf(sent.body.publicUrl)
      const isAssociated = Effect.fnUntraced(function* (address: string) {
        const text = `Words.\n\n![it](<${address}>)`
        const { body, status } = yield* author.patch(post.id, { freeContentMarkdown: text })
        assert.strictEqual(status, 200, address)
        assert.strictEqual(body.freeContentMarkdown, text)
        return (yield* author.status(sent)).body.safety.associated as boolean
      })
      for (const address of ways(path)) assert.isTrue(yield* isAssociated(address), address)
      for (const address of others(path)) assert.isFalse(yield* isAssociated(address), address)
      yield* workOff
    })
  )

  it.effect("A rejected image leaves the text under every address that leads to it, and no other goes", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(2)
      const post = yield* author.draft()
      const sent = yield* author.inline(post)
      const path = pathOf(sent.body.publicUrl)
      const shown = (addresses: ReadonlyArray<string>) =>
        addresses.map((it, at) => `![number ${at}](<${it}>)`).join("\n\n")
      const kept = `Words.\n\n${shown(others(path))}`
      const text = `${kept}\n\n${shown(ways(path))}\n\n![named][it] [linked](${path})\n\n[it]: ${path}`
      yield* author.patch(post.id, {
        freeContentMarkdown: text,
        paidContentMarkdown: `Paid.\n\n${shown(ways(path))}`,
        enablePaywall: true,
        priceXno: "1",
        ogImage: `${BASE_URL.toUpperCase()}${path}?size=9`
      })
      yield* author.publish(post.id)
      yield* rejecting
      const { body } = yield* author.read(post.id)
      assert.strictEqual(body.freeContentMarkdown.trim(), `${kept}\n\n linked`)
      assert.strictEqual(body.paidContentMarkdown.trim(), "Paid.")
      assert.isNull(body.ogImage)
      const page = yield* (yield* TestClient).send("GET", pathOf(body.url))
      assert.notInclude(page.text, `src="${path}"`)
    })
  )

  it.effect("A rejected image leaves a native document under every address that leads to it", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(3)
      const post = yield* author.draft()
      const sent = yield* author.inline(post)
      const path = pathOf(sent.body.publicUrl)
      const words = { type: "paragraph", content: [{ type: "text", text: "Words." }] }
      const images = (addresses: ReadonlyArray<string>) =>
        addresses.map((src) => ({ type: "image", attrs: { src } }))
      const document = (addresses: ReadonlyArray<string>) => ({
        type: "doc",
        content: [words, { type: "gallery", content: [...images(addresses), words] }]
      })
      yield* author.asService((publisher, id) =>
        Effect.flatMap(NativeContents, (contents) =>
          contents.write(publisher, id, { free: document([...ways(path), ...others(path)]) as never })
        )
      )(post.id)
      assert.isTrue((yield* author.status(sent)).body.safety.associated)
      yield* rejecting
      const { free } = yield* author.asService((publisher, id) =>
        Effect.flatMap(NativeContents, (contents) => contents.read(publisher, id))
      )(post.id)
      assert.deepStrictEqual(free as unknown, document(others(path)))
    })
  )

  it.effect("A picture of the card is in its place by path and by URL, and answers have the URL", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(4)
      const post = yield* author.draft()
      const sent = yield* author.og(post)
      const url = sent.body.publicUrl as string
      const inPlace = Effect.map(author.status(sent), ({ body }) => body.safety.associated as boolean)
      assert.isTrue(yield* inPlace)
      for (const [ogImage, isIn] of [
        [pathOf(url), true],
        ["https://other.test/a.png", false],
        [url, true],
        [`https://other.test${pathOf(url)}`, false],
        [`${url}?size=9`, true],
        [null, false]
      ] as const) {
        const { body, status } = yield* author.patch(post.id, { ogImage })
        assert.strictEqual(status, 200, String(ogImage))
        assert.strictEqual(body.ogImage, isIn ? url : ogImage)
        assert.strictEqual(yield* inPlace, isIn, String(ogImage))
      }
      for (const ogImage of [
        "/",
        "/a.png",
        pathOf(url).slice(1),
        `..${pathOf(url)}`,
        `//other.test${pathOf(url)}`,
        `${pathOf(url)}?a`,
        pathOf(url).toUpperCase(),
        `/media/${pathOf(url)}`
      ]) {
        const { body, status } = yield* author.patch(post.id, { ogImage })
        assert.strictEqual(status, 422, ogImage)
        assert.match(JSON.stringify(body), /or the path of an uploaded image/)
      }
      yield* workOff
    })
  )
})
