import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { refusalOf } from "../../../support/actors/author.ts"
import { uploaderOf } from "../../../support/actors/uploader.ts"
import { database } from "../../../support/Database.ts"
import { service } from "../../../support/TestClient.ts"
import { pngChunk, pngOf } from "../../image-formats/png/makePng.ts"
import { bytesOf } from "../../image-formats/shared/makeBytes.ts"
import { multipart } from "../multipart.ts"
import { leavingNothing } from "./remains.ts"

const KIBIBYTE = 1024
const MEBIBYTE = 1024 * KIBIBYTE

let uploaders = 0
const uploader = Effect.suspend(() => uploaderOf(++uploaders))

/** Makes the file part of a form from these bytes and this media type. */
const fileOf = (content: Uint8Array | string, mediaType: string) => [
  { name: "file", fileName: "file", mediaType, content }
]

/** Makes a PNG of exactly `size` bytes, filled up with an ancillary chunk. */
const pngOfBytes = (size: number) => {
  const bytes = pngOf({ before: [pngChunk("paDd", new Uint8Array(size - pngOf().length - 12))] })
  assert.strictEqual(bytes.length, size)
  return fileOf(bytes, "image/png")
}

layer(service(database("test_upload_sizes")))("the size of images (4.4, 8)", (it) => {
  it.effect("An inline image has 5 MiB, and one byte more is 413 although the request fits", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      const answer = yield* author.inline(post, { parts: pngOfBytes(5 * MEBIBYTE) })
      assert.strictEqual(answer.status, 202, answer.text)
      const larger = author.inline(post, { parts: pngOfBytes(5 * MEBIBYTE + 1) })
      assert.deepStrictEqual(refusalOf(yield* leavingNothing(author, larger)), [413, "payload-too-large"])
    })
  )

  it.effect("Five inline images of 5 MiB fit the 25 MiB that may be staged, and no sixth", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      for (let image = 0; image < 5; image++) {
        const answer = yield* author.inline(post, { parts: pngOfBytes(5 * MEBIBYTE) })
        assert.strictEqual(answer.status, 202, answer.text)
      }
      const sixth = yield* leavingNothing(author, author.inline(post))
      assert.deepStrictEqual([sixth.status, sixth.body.limit], [429, "staged_bytes"])
    })
  )

  it.effect("An og image, avatar or header has 2 MiB, and one byte more is 413 although it fits", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      const fits = { parts: pngOfBytes(2 * MEBIBYTE) }
      const larger = { parts: pngOfBytes(2 * MEBIBYTE + 1) }
      for (const answer of [
        yield* author.og(post, fits),
        yield* author.avatar(fits),
        yield* author.header(fits)
      ]) {
        assert.strictEqual(answer.status, 202, answer.text)
      }
      const now = (yield* author.read(post.id)).body
      const refused = [author.og(now, larger), author.avatar(larger), author.header(larger)]
      for (const answer of yield* leavingNothing(author, Effect.all(refused))) {
        assert.deepStrictEqual(refusalOf(answer), [413, "payload-too-large"])
      }
    })
  )

  it.effect("A file of 1 MiB and more is received and refused like smaller ones", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      for (const size of [MEBIBYTE - 4 * KIBIBYTE, MEBIBYTE, MEBIBYTE + 1]) {
        const { body } = yield* author.avatar({ parts: pngOfBytes(size) })
        assert.deepStrictEqual([body.safety.state, body.safety.received], ["queued", true])
        const broken = fileOf(pngOfBytes(size)[0]!.content.slice(0, -1), "image/png")
        const answer = yield* leavingNothing(author, author.avatar({ parts: broken }))
        assert.deepStrictEqual(refusalOf(answer), [422, "validation", "file invalid"])
      }
    })
  )

  it.effect("A request has 512 KiB in addition to its file, even with a false Content-Length", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      const length = (bytes: number) => ({ headers: { "content-length": String(bytes) } })
      const most = { inline: 5 * MEBIBYTE + 512 * KIBIBYTE, others: 2 * MEBIBYTE + 512 * KIBIBYTE }
      const tooLarge = yield* leavingNothing(
        author,
        Effect.all([
          author.inline(post, length(most.inline + 1)),
          author.og(post, length(most.others + 1)),
          author.avatar(length(most.others + 1)),
          author.header(length(most.others + 1)),
          author.avatar(length(999_999_999_999))
        ])
      )
      for (const answer of tooLarge) assert.deepStrictEqual(refusalOf(answer), [413, "payload-too-large"])
      const largest = [
        yield* author.inline(post, length(most.inline)),
        yield* author.og(post, length(most.others)),
        yield* author.avatar(length(most.others))
      ]
      for (const answer of largest) assert.strictEqual(answer.status, 202, answer.text)
    })
  )

  it.effect("A request of 2 MiB and 512 KiB is read to its end, and one byte more is 413", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const form = multipart(pngOfBytes(2 * MEBIBYTE))
      const most = 2 * MEBIBYTE + 512 * KIBIBYTE
      // The bytes before the first boundary are outside every part.
      const send = (size: number) => {
        const preamble = new Uint8Array(size - form.body.length - 2)
        const body = bytesOf(preamble, "\r\n", form.body)
        const headers = { "idempotency-key": "one", ...form.headers, "content-length": String(body.length) }
        return author.send("POST", "/../profile/avatar", { body, headers })
      }
      assert.deepStrictEqual(refusalOf(yield* send(most + 1)), [413, "payload-too-large"])
      assert.strictEqual((yield* send(most)).status, 202)
    })
  )

  it.effect("A missing or invalid Content-Length is 411, and leaves nothing", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      for (const length of ["", "-1", "1.5", "0x10", "1e3", "abc", "9999999999999", "10, 10"]) {
        const headers = { "content-length": length }
        const answers = yield* leavingNothing(
          author,
          Effect.all([
            author.avatar({ headers }),
            author.inline(post, { headers }),
            author.og(post, { headers })
          ])
        )
        for (const answer of answers) {
          assert.deepStrictEqual(refusalOf(answer), [411, "length-required"], length)
        }
      }
    })
  )
})
