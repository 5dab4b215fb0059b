import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ImageDecoderMemory } from "../../../../layers/testing/ImageDecoderMemory.ts"
import { ScannerMemory } from "../../../../layers/testing/ScannerMemory.ts"
import type { OwnerId } from "../../../../schemas/platform/Ids.ts"
import type { Operation } from "../../../../src/publishing/uploads/operation/operation.ts"
import { UploadWorker } from "../../../../src/publishing/uploads/pipeline/worker.ts"
import { as } from "../../../platform/mail/outbox.ts"
import { pngFile, stepOf, take, type Uploader, uploaderOf } from "../../../support/actors/uploader.ts"
import { succeeding } from "../../../support/derivedClient.ts"
import { eventually } from "../../../support/eventually.ts"
import { passing } from "../../../support/passing.ts"
import { planNodes } from "../../../support/plans.ts"
import type { TestAnswer } from "../../../support/TestClient.ts"
import { gifOfStubs } from "../../image-formats/gif/makeGif.ts"
import { pngContainer, pngOf } from "../../image-formats/png/makePng.ts"
import { alone, idOf, kept, twoProcesses } from "../screenings.ts"

const LEASE = 120_000

const fresh = alone("test_uploads_turns")

/** A picture that takes a decoder long, although its file is small: 32,000,000 pixels. */
const large = { ...pngFile(), content: pngContainer(8_000, 4_000) }

/** A picture of about 12,000,000 pixels, as telephones take. */
const photo = { ...pngFile(), content: pngContainer(4_000, 3_000) }

const authorsOf = (count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => index + 1),
    uploaderOf
  )

const ids = (operations: ReadonlyArray<Operation>) => operations.map(({ id }): string => id)
const isCleared = (sent: Parameters<typeof kept>[0]) =>
  Effect.map(kept(sent), ({ state }) => state === "cleared")

/** Uploads a wide header image, and works until its smaller copies are due. */
const unscaled = Effect.fnUntraced(function* (author: Uploader, content = pngOf({ width: 700, height: 4 })) {
  const sent = yield* author.header({ parts: [{ ...pngFile(), content }] })
  for (let step = 0; step < 2; step++) yield* Effect.flatMap(take(1), Effect.forEach(stepOf))
  const { next_task, state } = yield* kept(sent)
  assert.deepStrictEqual([state, next_task], ["cleared", "scale"])
  return sent
})

describe("the turns of images that wait for their verdict", () => {
  it.effect("A small image is decided before the large images of sixteen other accounts", () =>
    Effect.gen(function* () {
      const [process] = yield* twoProcesses("test_uploads_turns_before")
      const authors = yield* as(process)(authorsOf(17))
      for (const author of authors.slice(1)) {
        assert.strictEqual((yield* as(process)(author.avatar({ parts: [large] }))).status, 202)
        yield* TestClock.adjust(1)
      }
      const file = pngFile(1)
      const sent = yield* as(process)(authors[0]!.avatar({ parts: [file] }))
      yield* as(process)(Layer.build(UploadWorker))
      yield* eventually("the small image is cleared", as(process)(isCleared(sent)))
      const decoded = yield* Context.get(process, ImageDecoderMemory).inspected
      const ahead = decoded.findIndex(({ bytes }) => Buffer.compare(bytes, file.content as Uint8Array) === 0)
      assert.isAtMost(ahead, 1)
    })
  )

  it.effect("A small image waits for no large image that is in work", () =>
    Effect.gen(function* () {
      const [process] = yield* twoProcesses("test_uploads_turns_meanwhile")
      const authors = yield* as(process)(authorsOf(7))
      const scanner = Context.get(process, ScannerMemory)
      yield* scanner.hold
      yield* as(process)(Layer.build(UploadWorker))
      for (const author of authors.slice(1)) yield* as(process)(author.avatar({ parts: [large] }))
      yield* scanner.held
      const sent = yield* as(process)(authors[0]!.avatar())
      yield* eventually(
        "both are scanned",
        Effect.map(scanner.scanned, ({ length }) => length === 2)
      )
      assert.strictEqual((yield* as(process)(kept(sent))).state, "checking")
      yield* scanner.release
    })
  )

  it.effect("Two processes work on at most one large image each, and decide each image once", () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoProcesses("test_uploads_turns_shared")
      const authors = yield* as(first)(authorsOf(8))
      const scanner = Context.get(first, ScannerMemory)
      yield* scanner.hold
      const sent: Array<TestAnswer> = []
      for (const [index, author] of authors.entries())
        for (const [seed, file] of [large, large, pngFile(index)].entries())
          sent.push(yield* as(seed % 2 === 0 ? first : second)(author.avatar({ parts: [file] })))
      for (const process of [first, second]) yield* as(process)(Layer.build(UploadWorker))
      // Both fill their four places, as one does while it is alone.
      yield* passing(
        100,
        "eight are scanned",
        Effect.map(scanner.scanned, ({ length }) => length === 8)
      )
      const states = yield* Effect.forEach(sent, (it) => as(first)(kept(it)))
      const checked = sent.filter((_, index) => states[index]?.state === "checking")
      const heavy = checked.filter((it) => sent.indexOf(it) % 3 < 2)
      assert.lengthOf(checked, 8)
      assert.isAtMost(heavy.length, 2)
      yield* scanner.release
      for (const it of sent) yield* passing(100, "each is cleared", as(first)(isCleared(it)))
      assert.lengthOf(yield* scanner.scanned, 24)
    })
  )

  it.effect("An image of fewer pixels goes first, and one that has cost a process less lately", () =>
    Effect.gen(function* () {
      const [first, second, third] = yield* authorsOf(3)
      const sent = yield* first!.avatar({ parts: [large] })
      yield* TestClock.adjust(1)
      const photograph = yield* second!.avatar({ parts: [photo] })
      yield* TestClock.adjust(1)
      const picture = yield* third!.avatar()
      const [claimed] = yield* take(1)
      assert.strictEqual(claimed?.id, idOf(picture))
      // The one that the process has just worked for waits, even with the smaller image.
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{
        readonly owner_id: OwnerId
      }>`select owner_id from upload_operations where id = ${idOf(photograph)}`
      const served = new Map([[row!.owner_id, 30_000_000]])
      assert.deepStrictEqual(ids(yield* take(1, { served })), [idOf(sent)])
      assert.deepStrictEqual(ids(yield* take(1, { served })), [idOf(photograph)])
    }).pipe(fresh)
  )

  it.effect("Images above 16 megapixels and ZIPs are heavy, and the photo of a telephone is not", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const post = yield* author.draft({
        paidContentMarkdown: "Paid words",
        enablePaywall: true,
        priceXno: "1"
      })
      const heavyOf = Effect.fnUntraced(function* (content: Uint8Array, mediaType = "image/png") {
        const sent = yield* author.avatar({ parts: [{ ...pngFile(), content, mediaType }] })
        assert.strictEqual(sent.status, 202, sent.text)
        const light = yield* take(1, { heavyMax: 0 })
        const [claimed] = light.length === 0 ? yield* take(1) : light
        assert.strictEqual(claimed?.is_heavy, light.length === 0)
        return claimed
      })
      const pixels = (claimed: Operation | undefined) => [claimed?.next_pixels, claimed?.is_heavy]
      assert.deepStrictEqual(pixels(yield* heavyOf(photo.content)), [12_000_000, false])
      assert.deepStrictEqual(pixels(yield* heavyOf(pngContainer(4_000, 4_000))), [16_000_000, false])
      assert.deepStrictEqual(pixels(yield* heavyOf(pngContainer(4_000, 4_001))), [16_004_000, true])
      assert.deepStrictEqual(pixels(yield* heavyOf(pngContainer(1, 1))), [10_000, false])
      assert.deepStrictEqual(pixels(yield* heavyOf(gifOfStubs(1, 1, 1_601), "image/gif")), [16_010_000, true])
      const attached = yield* author.attach(post)
      assert.strictEqual(attached.status, 202, attached.text)
      assert.lengthOf(yield* take(1, { heavyMax: 0 }), 0)
      const [zip] = yield* take(1, { heavyMax: 1 })
      assert.deepStrictEqual(pixels(zip), [32_000_000, true])
      // Its cleanup decodes nothing.
      yield* stepOf(zip!)
      assert.deepStrictEqual(pixels((yield* take(1, { heavyMax: 0 }))[0]), [0, false])
    }).pipe(fresh)
  )

  it.effect("A small image goes before the large ones of its own account", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      for (let number = 0; number < 3; number++) yield* author.avatar({ parts: [large] })
      yield* TestClock.adjust("10 minutes")
      const sent = yield* author.header()
      assert.deepStrictEqual(ids(yield* take(1, { heavyMax: 0 })), [idOf(sent)])
    }).pipe(fresh)
  )

  it.effect("The images of all keys of an account share its part", () =>
    Effect.gen(function* () {
      const [author, other] = yield* authorsOf(2)
      const withSession = yield* succeeding(author!.accessToken)
      const { key } = yield* withSession(({ apiKeys }) => apiKeys.issue({ headers: {}, payload: {} }))
      for (const [number, token] of [author!.key, key, author!.key, key].entries()) {
        const parts = [pngFile(number)]
        const sent = yield* author!.avatar({ parts, headers: { authorization: `Bearer ${token}` } })
        assert.strictEqual(sent.status, 202, sent.text)
        yield* TestClock.adjust(1)
      }
      const sent = yield* other!.avatar()
      const claimed = yield* take(3, { perOwner: 2 })
      assert.lengthOf(claimed, 3)
      assert.include(ids(claimed), idOf(sent))
    }).pipe(fresh)
  )

  it.effect("A large image that has waited for five minutes goes before new small ones", () =>
    Effect.gen(function* () {
      const [author, other] = yield* authorsOf(2)
      const sent = yield* author!.avatar({ parts: [large] })
      yield* TestClock.adjust("5 minutes")
      const small = yield* other!.avatar()
      assert.deepStrictEqual(ids(yield* take(1)), [idOf(small)])
      yield* TestClock.adjust("30 seconds")
      yield* other!.avatar()
      assert.deepStrictEqual(ids(yield* take(1)), [idOf(sent)])
    }).pipe(fresh)
  )

  it.effect("A large image of a process that died waits for its turn again", () =>
    Effect.gen(function* () {
      const [author, other] = yield* authorsOf(2)
      const sent = yield* author!.avatar({ parts: [large] })
      assert.deepStrictEqual(ids(yield* take(1)), [idOf(sent)])
      yield* TestClock.adjust(LEASE)
      const small = yield* other!.avatar()
      assert.deepStrictEqual(ids(yield* take(1)), [idOf(small)])
      assert.deepStrictEqual(ids(yield* take(1)), [idOf(sent)])
    }).pipe(fresh)
  )

  it.effect("Smaller copies are made after every verdict that waits, even of a larger image", () =>
    Effect.gen(function* () {
      const [author, other] = yield* authorsOf(2)
      const copied = yield* unscaled(author!)
      yield* TestClock.adjust("10 minutes")
      const own = yield* author!.avatar({ parts: [large] })
      const sent = yield* other!.avatar({ parts: [photo] })
      assert.deepStrictEqual(ids(yield* take(1)), [idOf(sent)])
      assert.deepStrictEqual(ids(yield* take(1)), [idOf(own)])
      assert.deepStrictEqual(ids(yield* take(1)), [idOf(copied)])
    }).pipe(fresh)
  )

  it.effect(
    "An image waits for no clean-ups of other accounts, and clean-ups that waited long go first",
    () =>
      Effect.gen(function* () {
        const [author, other] = yield* authorsOf(2)
        const cleaned = yield* author!.avatar()
        const sql = yield* SqlClient.SqlClient
        yield* sql`update upload_operations set state = 'cleared', next_task = 'clean_up' where id = ${idOf(cleaned)}`
        yield* sql`
        insert into upload_operations (id, owner_id, target_kind, target_id, target_key, generation, request_key, created_at,
          state, next_task, due_at, policy_version, staged_bytes, received_at, sha256, format, byte_size, width, height, frames)
        select gen_random_uuid(), u.owner_id, 'avatar', u.target_id, '', 100 + n, 'many ' || n, u.created_at, 'cleared',
          'clean_up', u.due_at, u.policy_version, 0, u.received_at, u.sha256, 'png', 9, 8, 8, 1
        from upload_operations u, generate_series(1, 600) n where u.id = ${idOf(cleaned)}`
        yield* TestClock.adjust("4 minutes")
        const sent = yield* other!.avatar()
        const [first, ...others] = yield* take(3, { perOwner: 2 })
        assert.strictEqual(first?.id, idOf(sent))
        assert.deepStrictEqual(
          others.map(({ next_task }) => next_task),
          ["clean_up", "clean_up"]
        )
        yield* stepOf(first!)
        yield* TestClock.adjust("30 minutes")
        const late = yield* other!.header()
        assert.strictEqual((yield* take(1))[0]?.next_task, "clean_up")
        const claimed = yield* take(3, { perOwner: 2 })
        assert.include(ids(claimed), idOf(late))
      }).pipe(fresh)
  )

  it.effect("Smaller copies of a large image wait while another large image is in work", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sent = yield* unscaled(author, large.content)
      assert.lengthOf(yield* take(1, { heavyMax: 0 }), 0)
      assert.deepStrictEqual(ids(yield* take(1, { heavyMax: 1 })), [idOf(sent)])
    }).pipe(fresh)
  )

  it.effect("A claim finds a small image among thousands of others, and reads few of them", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sql = yield* SqlClient.SqlClient
      yield* author.avatar({ parts: [large] })
      // Large images that wait longer than the small one, smaller copies, retries of later, and bytes that are awaited.
      yield* sql`
        insert into upload_operations (id, owner_id, target_kind, target_id, target_key, generation, request_key, created_at,
          state, next_task, due_at, policy_version, staged_bytes, received_at, sha256, format, byte_size, width, height, frames)
        select gen_random_uuid(), u.owner_id, 'avatar', u.target_id, '', 100 + n, 'many ' || n, u.created_at,
          case n % 4 when 0 then 'queued' when 1 then 'cleared' when 2 then 'queued' else 'receiving' end,
          case n % 4 when 0 then 'screen' when 1 then 'scale' when 2 then 'screen' else 'expire' end,
          u.due_at + case n % 4 when 2 then interval '30 minutes' when 3 then interval '1 day' else interval '0' end,
          u.policy_version, 0, u.received_at, u.sha256, 'png', 9, 8000, 4000, 1
        from upload_operations u, generate_series(1, 60000) n where u.target_kind = 'avatar'`
      yield* sql`analyze upload_operations`
      yield* TestClock.adjust("4 minutes")
      const other = yield* uploaderOf(2)
      const sent = yield* other.avatar()
      for (const mode of ["force_generic_plan", "force_custom_plan"] as const) {
        const nodes = yield* planNodes(mode, take(4, { heavyMax: 1, perOwner: 2 }))
        const read = nodes
          .filter((node) => node["Relation Name"] === "upload_operations")
          .reduce(
            (sum, node) =>
              sum + node["Actual Rows"] * node["Actual Loops"] + (node["Rows Removed by Filter"] ?? 0),
            0
          )
        assert.isAtMost(read, 2_500, mode)
        assert.isFalse(
          nodes.some(
            (node) => node["Node Type"] === "Seq Scan" && node["Relation Name"] === "upload_operations"
          )
        )
      }
      yield* sql`update upload_operations set state = 'queued', next_task = 'screen', due_at = created_at where id = ${idOf(sent)}`
      assert.strictEqual((yield* take(1, { heavyMax: 1 }))[0]?.id, idOf(sent))
    }).pipe(fresh)
  )
})
