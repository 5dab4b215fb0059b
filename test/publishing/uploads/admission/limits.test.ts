import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { pngFile, type Uploader, uploaderOf, workOff } from "../../../support/actors/uploader.ts"
import { database } from "../../../support/Database.ts"
import { service, type TestAnswer } from "../../../support/TestClient.ts"
import { leavingNothing } from "./remains.ts"

const MEBIBYTE = 1024 * 1024

let uploaders = 0
/** Signs in a new author at the start of a minute without uploads. */
const uploader = Effect.gen(function* () {
  yield* TestClock.adjust("2 minutes")
  return yield* uploaderOf(++uploaders)
})

const assertLimited = (answer: TestAnswer, limit: string, retryAfterSeconds: number) => {
  assert.strictEqual(answer.status, 429, answer.text)
  assert.match(answer.body.type, /\/problems\/upload-limit-reached$/)
  assert.deepStrictEqual([answer.body.limit, answer.body.retryAfterSeconds], [limit, retryAfterSeconds])
  assert.strictEqual(answer.headers.get("retry-after"), String(retryAfterSeconds))
}

/** Uploads `count` images one after the other, then finishes their tasks. */
const uploads = (author: Uploader, count: number) =>
  Effect.gen(function* () {
    for (let n = 0; n < count; n++) {
      const answer = yield* author.header({ parts: [pngFile(n)] })
      assert.strictEqual(answer.status, 202, answer.text)
    }
    yield* workOff
  })

const limited = (name: string) => service(database(name), 1, { rateLimitFactor: 1 })

layer(limited("test_upload_limits_transfers"))("transfers per Profile (8)", (it) => {
  it.effect("An eleventh transfer in a minute is 429 with Retry-After until the first is a minute old", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const other = yield* uploader
      yield* uploads(author, 1)
      yield* TestClock.adjust("20 seconds")
      yield* uploads(author, 9)
      const refused = yield* leavingNothing(author, author.header({ key: "one" }))
      assertLimited(refused, "transfers_per_minute", 40)
      assert.strictEqual((yield* other.header()).status, 202)
      yield* TestClock.adjust(39_999)
      assertLimited(yield* author.header({ key: "one" }), "transfers_per_minute", 1)
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* author.header({ key: "one" })).status, 202)
      assertLimited(yield* author.header(), "transfers_per_minute", 20)
    })
  )

  it.effect("A clock that steps back makes no wait longer than a minute", () =>
    Effect.gen(function* () {
      for (const [seconds, waits] of [
        [30, [60, 30]],
        [93_600, []]
      ] as const) {
        const author = yield* uploader
        yield* uploads(author, 10)
        yield* TestClock.setTime((yield* Clock.currentTimeMillis) - seconds * 1000)
        for (const wait of waits) {
          assertLimited(yield* author.header(), "transfers_per_minute", wait)
          yield* TestClock.adjust(wait * 1000)
        }
        assert.strictEqual((yield* author.header()).status, 202)
      }
    })
  )

  it.effect("Refused files count as transfers, and replays of received ones do not", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const wrong = { ...pngFile(), content: "<svg/>" }
      for (let n = 0; n < 9; n++) {
        assert.strictEqual((yield* author.header({ parts: [wrong] })).status, 422)
        assert.include([200, 202], (yield* author.header({ key: "same" })).status)
      }
      assertLimited(yield* author.header(), "transfers_per_minute", 60)
      assert.strictEqual((yield* author.header({ key: "same" })).status, 200)
      // A request without a file does not count as a transfer.
      assert.strictEqual((yield* author.operations()).status, 200)
    })
  )

  it.effect("A transfer after 100 in a day is 429 until the first is a day old", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      for (let batch = 0; batch < 10; batch++) {
        yield* uploads(author, 10)
        yield* TestClock.adjust("1 minute")
      }
      const left = 86_400 - 600
      assertLimited(yield* leavingNothing(author, author.header()), "transfers_per_day", left)
      yield* TestClock.adjust((left - 1) * 1000)
      assertLimited(yield* author.header(), "transfers_per_day", 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* author.header()).status, 202)
    })
  )

  it.effect("Transfers have 250 MiB per day, multipart bytes included", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const sql = yield* SqlClient.SqlClient
      const first = yield* author.header()
      assert.strictEqual(first.status, 202)
      const [transfer] = yield* sql<{ readonly byte_size: number }>`
        select byte_size from upload_transfers t join owners o on o.id = t.owner_id where handle = ${author.handle}`
      const size = transfer!.byte_size
      assert.isAbove(size, pngFile().content.length)
      // The rest of the day's bytes, except one request of this size.
      const rest = 250 * MEBIBYTE - 2 * size
      yield* sql`
        insert into upload_transfers (owner_id, begun_at, byte_size)
        select t.owner_id, t.begun_at, ${rest + 1} from upload_transfers t
        join owners o on o.id = t.owner_id where handle = ${author.handle}`
      assertLimited(yield* leavingNothing(author, author.header()), "transfer_bytes_per_day", 86_400)
      yield* sql`update upload_transfers set byte_size = ${rest} where byte_size = ${rest + 1}`
      assert.strictEqual((yield* author.header()).status, 202)
      assertLimited(yield* author.header(), "transfer_bytes_per_day", 86_400)
    })
  )
})

layer(limited("test_upload_limits_avatars"))("avatar uploads (8)", (it) => {
  it.effect("A key uploads 10 avatars per minute, in addition to the transfers of the Profile", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const wrong = { headers: { "content-length": "no" } }
      for (let n = 0; n < 10; n++) assert.strictEqual((yield* author.avatar(wrong)).status, 411)
      const refused = yield* leavingNothing(author, author.avatar())
      assert.strictEqual(refused.status, 429)
      assert.match(refused.body.type, /\/problems\/rate-limited$/)
      assert.strictEqual(refused.headers.get("retry-after"), "60")
      assert.strictEqual((yield* author.header()).status, 202)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* author.avatar()).status, 202)
    })
  )
})

layer(service(database("test_upload_limits_unfinished")))("unfinished work and staged bytes (8)", (it) => {
  it.effect("A Profile has at most 10 unfinished operations of all its targets together", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      const first = yield* author.inline(post)
      for (let n = 0; n < 7; n++) assert.strictEqual((yield* author.inline(post)).status, 202)
      assert.strictEqual((yield* author.avatar()).status, 202)
      assert.strictEqual((yield* author.header({ key: "tenth" })).status, 202)
      const now = (yield* author.read(post.id)).body
      const sends = [author.inline(now), author.og(now), author.avatar(), author.header({ key: "next" })]
      for (const answer of yield* leavingNothing(author, Effect.all(sends))) {
        assertLimited(answer, "unfinished_operations", 10)
      }
      assert.strictEqual((yield* author.header({ key: "tenth" })).status, 200)
      assert.strictEqual((yield* (yield* uploader).avatar()).status, 202)
      yield* author.cancel(first)
      assert.strictEqual((yield* author.header({ key: "next" })).status, 202)
    })
  )

  it.effect("A Profile stages at most 25 MiB, and files that wait for cleanup count", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      const sql = yield* SqlClient.SqlClient
      const first = yield* author.inline(post, { key: "one" })
      const owned = sql`owner_id = (select id from owners where handle = ${author.handle})`
      const size = (yield* sql<{ readonly byte_size: number }>`
        select byte_size from upload_transfers where ${owned}`)[0]!.byte_size
      const stage = (bytes: number) =>
        sql`update upload_operations set staged_bytes = ${bytes} where id = ${first.body.safety.operationId}`
      yield* stage(25 * MEBIBYTE - size + 1)
      assertLimited(yield* leavingNothing(author, author.inline(post)), "staged_bytes", 10)
      yield* author.cancel(first)
      assertLimited(yield* author.inline(post), "staged_bytes", 10)
      yield* stage(25 * MEBIBYTE - size)
      assert.strictEqual((yield* author.inline(post)).status, 202)
      assertLimited(yield* author.inline(post), "staged_bytes", 10)
      yield* workOff
      assert.strictEqual((yield* author.inline(post)).status, 202)
    })
  )
})
