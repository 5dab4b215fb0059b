import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { now } from "../../../src/platform/time/now.ts"
import { refusalOf } from "../../support/actors/author.ts"
import { pngFile, type Uploader, uploaderOf, workOff, zipFile } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service, type TestAnswer } from "../../support/TestClient.ts"
import { zipOf } from "../archives/makeZip.ts"
import { leavingNothing } from "../uploads/admission/remains.ts"
import { idOf } from "../uploads/screenings.ts"
import { paywalled } from "./paywalled.ts"

const MEBIBYTE = 1024 * 1024

let uploaders = 0
/** Signs in a new author at the start of a minute without uploads. */
const uploader = Effect.gen(function* () {
  yield* TestClock.adjust("2 minutes")
  return yield* uploaderOf(++uploaders)
})

const current = (author: Uploader, id: string) => Effect.map(author.read(id), ({ body }) => body)

/** Makes a part whose ZIP has exactly this many bytes. */
const zipOfBytes = (size: number, fileName = "large.zip") => {
  const content = new Uint8Array(size - zipOf([{ name: "a", content: "" }]).length)
  return { ...zipFile("", fileName), content: zipOf([{ name: "a", content }]) }
}

const limitOf = ({ body, headers, status }: TestAnswer) => [
  status,
  body.limit,
  headers.get("retry-after") === String(body.retryAfterSeconds)
]

layer(service(database("test_attachments_sizes")))("the size of a ZIP (6.1)", (it) => {
  it.effect("A ZIP has at most 25 MiB, and one byte more is 413 although the request fits", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft(paywalled)
      const larger = author.attach(post, { parts: [zipOfBytes(25 * MEBIBYTE + 1)] })
      assert.deepStrictEqual(refusalOf(yield* leavingNothing(author, larger)), [413, "payload-too-large"])
      const most = 25 * MEBIBYTE + 512 * 1024
      const saying = (bytes: number) => author.attach(post, { headers: { "content-length": String(bytes) } })
      assert.deepStrictEqual(refusalOf(yield* saying(most + 1)), [413, "payload-too-large"])
      const largest = yield* author.attach(yield* current(author, post.id), {
        parts: [zipOfBytes(25 * MEBIBYTE)]
      })
      assert.deepStrictEqual(
        [largest.status, largest.body.attachment?.byteSize],
        [202, 25 * MEBIBYTE],
        largest.text
      )
      yield* workOff
      assert.strictEqual((yield* author.status(largest)).body.attachment.state, "ready")
    })
  )

  it.effect("All files of a Post have at most 100 MiB, and files that left it do not count", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const sql = yield* SqlClient.SqlClient
      const post = yield* author.draft(paywalled)
      const first = yield* author.attach(post)
      yield* workOff
      const make = (bytes: number) =>
        sql`update post_attachments set byte_size = ${bytes} where id = ${idOf(first)}`
      const send = Effect.fnUntraced(function* () {
        return yield* author.attach(yield* current(author, post.id), {
          parts: [zipOfBytes(2 * MEBIBYTE, "second.zip")],
          headers: { "content-length": String(25 * MEBIBYTE + 1000) }
        })
      })
      yield* make(75 * MEBIBYTE + 1)
      assert.deepStrictEqual(limitOf(yield* send()), [429, "post_attachments", true])
      yield* make(75 * MEBIBYTE)
      const second = yield* send()
      assert.deepStrictEqual([second.status, second.body.attachment.byteSize], [202, 2 * MEBIBYTE])
      yield* make(100 * MEBIBYTE)
      const third = () =>
        Effect.flatMap(current(author, post.id), (it) =>
          author.attach(it, { parts: [zipFile("x", "3.zip")] })
        )
      assert.deepStrictEqual(limitOf(yield* third()), [429, "post_attachments", true])
      yield* author.detach(post.id, idOf(first))
      assert.strictEqual((yield* third()).status, 202)
    })
  )

  it.effect("A Profile stages at most 75 MiB of ZIPs, not counting images but counting cleanup", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const sql = yield* SqlClient.SqlClient
      const post = yield* author.draft(paywalled)
      const first = yield* author.attach(post)
      const stage = (bytes: number) =>
        sql`update upload_operations set staged_bytes = ${bytes} where id = ${idOf(first)}`
      const length = { "content-length": "10000" }
      const parts = [zipFile("x", "2.zip")]
      const send = Effect.fnUntraced(function* () {
        return yield* author.attach(yield* current(author, post.id), { headers: length, parts })
      })
      yield* stage(75 * MEBIBYTE - 9_999)
      assert.deepStrictEqual(limitOf(yield* send()), [429, "staged_bytes", true])
      yield* author.cancel(first)
      assert.deepStrictEqual(limitOf(yield* send()), [429, "staged_bytes", true])
      assert.strictEqual((yield* author.avatar()).status, 202)
      yield* stage(75 * MEBIBYTE - 10_000)
      assert.strictEqual((yield* send()).status, 202)
    })
  )
})

layer(service(database("test_attachments_transfers"), 1, { rateLimitFactor: 1 }))(
  "transfers of a Profile (8)",
  (it) => {
    it.effect("Images and ZIPs together are limited to 10 transfers a minute, refused ones included", () =>
      Effect.gen(function* () {
        const author = yield* uploader
        const post = yield* author.draft(paywalled)
        for (let n = 0; n < 5; n++) {
          assert.strictEqual((yield* author.header({ parts: [pngFile(n)] })).status, 202)
          yield* workOff
        }
        const broken = { ...zipFile(), content: "PK\u0003\u0004" }
        for (let n = 0; n < 4; n++) {
          const refused = yield* author.attach(yield* current(author, post.id), { parts: [broken] })
          assert.strictEqual(refused.status, 422, refused.text)
        }
        assert.strictEqual((yield* author.attach(yield* current(author, post.id))).status, 202)
        const last = yield* author.attach(yield* current(author, post.id), { parts: [zipFile("x", "2.zip")] })
        assert.deepStrictEqual(limitOf(last), [429, "transfers_per_minute", true])
        assert.deepStrictEqual(limitOf(yield* author.header()), [429, "transfers_per_minute", true])
      })
    )

    it.effect("Images and ZIPs together are limited to 250 MiB a day", () =>
      Effect.gen(function* () {
        const author = yield* uploader
        const sql = yield* SqlClient.SqlClient
        const post = yield* author.draft(paywalled)
        const length = { "content-length": "10000" }
        yield* sql`
        insert into upload_transfers (owner_id, begun_at, byte_size)
        select id, ${yield* now}, ${250 * MEBIBYTE - 9_999}
        from owners where handle = ${author.handle}`
        assert.deepStrictEqual(limitOf(yield* author.attach(post, { headers: length })), [
          429,
          "transfer_bytes_per_day",
          true
        ])
        yield* sql`update upload_transfers set byte_size = byte_size - 1`
        assert.strictEqual((yield* author.attach(post, { headers: length })).status, 202)
      })
    )
  }
)
