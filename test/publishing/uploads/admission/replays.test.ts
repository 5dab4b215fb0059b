import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { refusalOf } from "../../../support/actors/author.ts"
import { pngFile, uploaderOf, workOff } from "../../../support/actors/uploader.ts"
import { database } from "../../../support/Database.ts"
import { service, type TestAnswer } from "../../../support/TestClient.ts"
import { gifOf } from "../../image-formats/gif/makeGif.ts"
import { leavingNothing, storedKeys } from "./remains.ts"

let uploaders = 0
const uploader = Effect.suspend(() => uploaderOf(++uploaders))

const idOf = ({ body }: TestAnswer) => body.safety.operationId as string

layer(service(database("test_upload_replays")))("an image that is sent again (4.4)", (it) => {
  it.effect("A repeat with the same key, target and file is the receipt with replayed true, and 200", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      for (const [key, send] of [
        ["avatar", author.avatar],
        ["header", author.header],
        ["inline", (options: object) => author.inline(post, options)]
      ] as const) {
        const first = yield* send({ key })
        assert.deepStrictEqual([first.status, first.body.replayed], [202, false], first.text)
        const again = yield* leavingNothing(author, send({ key }))
        assert.deepStrictEqual([again.status, again.body], [200, { ...first.body, replayed: true }])
      }
    })
  )

  it.effect("A repeat answers with the current state, under any revision of the Post", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      const first = yield* author.og(post, { key: "one" })
      yield* workOff
      const again = yield* author.og(post, { key: "one" })
      assert.deepStrictEqual([again.status, again.body.replayed], [200, true])
      assert.strictEqual(again.body.safety.state, "cleared")
      assert.isTrue(again.body.safety.eligible)
      assert.strictEqual(idOf(again), idOf(first))
    })
  )

  it.effect("A repeat with another file is 409 upload-conflict, and the first stays", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const first = yield* author.avatar({ key: "one", parts: [pngFile(1)] })
      const before = yield* storedKeys
      for (const parts of [[pngFile(2)], [{ ...pngFile(), mediaType: "image/gif", content: gifOf() }]]) {
        const other = yield* leavingNothing(author, author.avatar({ key: "one", parts }))
        assert.deepStrictEqual(refusalOf(other), [409, "upload-conflict"])
      }
      assert.deepStrictEqual(yield* storedKeys, before)
      assert.deepStrictEqual((yield* author.status(first)).body, first.body)
    })
  )

  it.effect("A repeat for another target is 409 upload-conflict, even from inline to og", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      const other = yield* author.draft()
      const key = "one"
      const first = yield* author.inline(post, { key })
      assert.strictEqual(first.status, 202)
      const elsewhere = [
        author.og(post, { key }),
        author.avatar({ key }),
        author.header({ key }),
        author.inline(other, { key }),
        author.inline(post, { key, headers: { "x-upload-target-key": "node-2" } })
      ]
      for (const answer of yield* leavingNothing(author, Effect.all(elsewhere))) {
        assert.deepStrictEqual(refusalOf(answer), [409, "upload-conflict"])
      }
      const keyed = yield* author.og(post, { key: "two" })
      assert.notStrictEqual(idOf(keyed), idOf(first))
      assert.deepStrictEqual([keyed.status, keyed.body.safety.targetKind], [202, "og"])
    })
  )

  it.effect("A repeat with a form or a file that would be refused is refused", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const first = yield* author.avatar({ key: "one" })
      for (const [parts, error] of [
        [[], "file required"],
        [[pngFile(), { name: "alt", content: "A" }], "alt unknown"],
        [[{ ...pngFile(), content: "<svg/>" }], "file unsupported_type"]
      ] as const) {
        const answer = yield* leavingNothing(author, author.avatar({ key: "one", parts }))
        assert.deepStrictEqual(refusalOf(answer), [422, "validation", error])
      }
      assert.strictEqual((yield* author.status(first)).body.safety.state, "queued")
    })
  )

  it.effect("A repeat after a cancellation is the receipt, and receives nothing again", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const first = yield* author.avatar({ key: "one" })
      yield* author.cancel(first)
      yield* workOff
      const again = yield* leavingNothing(author, author.avatar({ key: "one" }))
      assert.deepStrictEqual([again.status, again.body.replayed], [200, true])
      assert.strictEqual(again.body.safety.state, "cancelled")
      assert.deepStrictEqual([again.body.publicUrl, again.body.safety.reuploadAllowed], [null, false])
    })
  )

  it.effect("A key belongs only to its owner", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const other = yield* uploader
      const first = yield* author.avatar({ key: "one" })
      const second = yield* other.avatar({ key: "one", parts: [pngFile(2)] })
      assert.deepStrictEqual([second.status, second.body.replayed], [202, false])
      assert.notStrictEqual(idOf(second), idOf(first))
    })
  )
})
