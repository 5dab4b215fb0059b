import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { withSettings } from "../../../src/platform/ports/Settings.ts"
import { refusalOf } from "../../support/actors/author.ts"
import { pngFile, uploaderOf, workOff } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient, type TestAnswer } from "../../support/TestClient.ts"
import { pngChunk, pngOf } from "../image-formats/png/makePng.ts"
import { leavingNothing } from "../uploads/admission/remains.ts"

const MEBIBYTE = 1024 * 1024

const full: ReadonlyArray<unknown> = [409, "storage-quota-reached"]

const title = "A title"

/** A section of this many kibibytes, three bytes to a character. */
const sectionOf = (kibibytes: number) => `${"\u4e16 ".repeat(255)}\u4e16\n`.repeat(kibibytes)

const usage = ({ body }: TestAnswer) =>
  body.limits.storedBytes as { readonly used: number; readonly max: number }

const small = service(database("test_account_storage")).pipe(
  Layer.provide(withSettings({ accountStorageMb: 1 }))
)

layer(small)("the quota of stored bytes of an account", (it) => {
  it.effect("The quota counts sections and images, shows in /me, and refuses more of either", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const client = yield* TestClient
      const me = client.send("GET", "/api/v1/me", { token: author.key })
      assert.deepStrictEqual(usage(yield* me), { used: 0, max: MEBIBYTE })
      const freeContentMarkdown = sectionOf(300)
      const bytes = new TextEncoder().encode(freeContentMarkdown + title).length
      const key = { "idempotency-key": "one" }
      const first = yield* author.create({ freeContentMarkdown, title }, key)
      assert.strictEqual(first.status, 201, first.text)
      assert.strictEqual(usage(yield* me).used, bytes)
      const image = yield* author.avatar()
      assert.isAbove(usage(yield* me).used, bytes)
      const second = yield* author.create({ freeContentMarkdown, paidContentMarkdown: freeContentMarkdown })
      assert.strictEqual(second.status, 201, second.text)

      assert.deepStrictEqual(refusalOf(yield* author.create({ freeContentMarkdown })), full)
      const grown = { paidContentMarkdown: freeContentMarkdown }
      assert.deepStrictEqual(refusalOf(yield* author.patch(first.body.id, grown)), full)
      // A repeat stores nothing, and neither does an edit that is no longer.
      assert.strictEqual((yield* author.create({ freeContentMarkdown, title }, key)).status, 201)
      assert.strictEqual((yield* author.patch(first.body.id, { freeContentMarkdown: "words" })).status, 200)

      yield* author.cancel(image)
      yield* workOff
      yield* author.remove(second.body.id)
      yield* TestClock.adjust("31 seconds")
      assert.strictEqual((yield* author.create({ freeContentMarkdown })).status, 201)
    })
  )

  it.effect("An image that does not fit is refused, and leaves nothing", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(2)
      const freeContentMarkdown = sectionOf(340)
      for (let post = 0; post < 3; post++) yield* author.create({ freeContentMarkdown })
      const content = pngOf({ before: [pngChunk("paDd", new Uint8Array(20_000))] })
      const parts = [{ ...pngFile(), content }]
      assert.deepStrictEqual(refusalOf(yield* leavingNothing(author, author.avatar({ parts }))), full)
    })
  )

  it.effect("Drafts below 16 KiB fill the quota, whether they come one by one or together", () =>
    Effect.gen(function* () {
      for (const [person, concurrency] of [
        [3, 1],
        [4, 20]
      ] as const) {
        const author = yield* uploaderOf(person)
        const client = yield* TestClient
        const freeContentMarkdown = "a".repeat(16_000)
        const drafts = (length: number, concurrency: number) =>
          Effect.forEach(Array.from({ length }), () => author.create({ freeContentMarkdown }), {
            concurrency
          })
        // Of drafts together, some may be refused for others that are still being written. What is left fits afterwards.
        const answers = [...(yield* drafts(80, concurrency)), ...(yield* drafts(30, 1))]
        const used = usage(yield* client.send("GET", "/api/v1/me", { token: author.key })).used
        assert.isAtMost(used, MEBIBYTE)
        assert.isAbove(used, MEBIBYTE - 3 * 16_000)
        for (const answer of answers.filter(({ status }) => status !== 201))
          assert.deepStrictEqual(refusalOf(answer), full)
      }
    })
  )

  it.effect("Titles, descriptions and texts of cards count", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(5)
      const client = yield* TestClient
      const texts = {
        title: "T\u00edtle",
        description: "Descr\u00edption",
        ogTitle: "C\u00e1rd",
        ogDescription: "C\u00e1rd too",
        freeContentMarkdown: "t\u00e9xt"
      }
      const bytes = new TextEncoder().encode(Object.values(texts).join("")).length
      const created = yield* author.create(texts)
      assert.strictEqual(created.status, 201, created.text)
      const me = yield* client.send("GET", "/api/v1/me", { token: author.key })
      assert.strictEqual(usage(me).used, bytes)
    })
  )
})
