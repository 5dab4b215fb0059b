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

/** A section of so many kibibytes, three bytes to a character. */
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
      const bytes = new TextEncoder().encode(freeContentMarkdown).length
      const key = { "idempotency-key": "one" }
      const first = yield* author.create({ freeContentMarkdown }, key)
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
      assert.strictEqual((yield* author.create({ freeContentMarkdown }, key)).status, 201)
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
})
