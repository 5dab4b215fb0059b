import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ImageDecoderMemory } from "../../../../layers/testing/ImageDecoderMemory.ts"
import { ObjectStorageMemory } from "../../../../layers/testing/ObjectStorageMemory.ts"
import { ScannerMemory } from "../../../../layers/testing/ScannerMemory.ts"
import { UploadOperationId } from "../../../../schemas/platform/Ids.ts"
import { FACE_WIDTH } from "../../../../schemas/publishing/uploads/limits.ts"
import {
  ImageDecoderUnavailable,
  ImageDecodingFailed,
  ImageUnreadable
} from "../../../../src/platform/ports/ImageDecoder.ts"
import { ObjectKey, ObjectStorage } from "../../../../src/platform/ports/ObjectStorage.ts"
import { operationStatements } from "../../../../src/publishing/uploads/operation/operations.sql.ts"
import { UploadAdministration } from "../../../../src/publishing/uploads/UploadAdministration.ts"
import { Uploads } from "../../../../src/publishing/uploads/Uploads.ts"
import { as } from "../../../platform/mail/outbox.ts"
import {
  media,
  pngFile,
  stepOf,
  take,
  type Uploader,
  uploaderOf,
  workOff
} from "../../../support/actors/uploader.ts"
import { planNodes } from "../../../support/plans.ts"
import type { TestAnswer } from "../../../support/TestClient.ts"
import { gifOf } from "../../image-formats/gif/makeGif.ts"
import { pngOf } from "../../image-formats/png/makePng.ts"
import { bytesOf } from "../../image-formats/shared/makeBytes.ts"
import { animatedWebpOf, webpOf } from "../../image-formats/webp/makeWebp.ts"
import {
  administrator,
  alone,
  idOf,
  kept,
  malware,
  objectsOf,
  publicKey,
  rejecting,
  twoProcesses,
  waitOf
} from "../screenings.ts"

const LEASE = 120_000

const fresh = alone("test_uploads_scaling")

/** A picture that is wide enough for two smaller copies. */
const wide = (seed = 1) => ({ ...pngFile(), content: pngOf({ width: 700, height: 4, seed }) })

const keyOf = (sent: TestAnswer, width: number) =>
  ObjectKey.make(publicKey(sent).replace(".png", `-${width}.webp`))
const urlOf = (sent: TestAnswer, width: number) =>
  (sent.body.publicUrl as string).replace(/\.[a-z]+$/, `-${width}.webp`)

/** Makes the decoder answer the next scaling with copies of these widths, and returns them. */
const scalingTo = Effect.fnUntraced(function* (...widths: ReadonlyArray<number>) {
  const copies = yield* Effect.forEach(widths, (width) =>
    Effect.map(
      Effect.promise(() => webpOf({ width, height: 2, seed: width })),
      (webp) => ({ width, webp })
    )
  )
  yield* (yield* ImageDecoderMemory).scaleNext(Effect.succeed(copies))
  return copies
})

const variantsOf = Effect.fnUntraced(function* (sent: TestAnswer) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly variants: unknown }>`
    select variants from upload_operations where id = ${idOf(sent)}`
  return row?.variants
}, Effect.orDie)

/** Uploads a wide header image, and works until it has its smaller copies. */
const scaled = Effect.fnUntraced(function* (author: Uploader) {
  const sent = yield* author.header({ parts: [wide()] })
  assert.strictEqual(sent.status, 202, sent.text)
  yield* scalingTo(320, 640)
  assert.strictEqual(yield* workOff, 3)
  assert.deepStrictEqual(yield* objectsOf(sent), [keyOf(sent, 320), keyOf(sent, 640), publicKey(sent)])
  return sent
})

/** Uploads a wide header image, and works until its smaller copies are due. */
const unscaled = Effect.fnUntraced(function* (author: Uploader) {
  const sent = yield* author.header({ parts: [wide()] })
  for (let step = 0; step < 2; step++) yield* Effect.flatMap(take(1), Effect.forEach(stepOf))
  const { next_task, state } = yield* kept(sent)
  assert.deepStrictEqual([state, next_task], ["cleared", "scale"])
  return sent
})

const isGone = Effect.fnUntraced(function* (sent: TestAnswer) {
  for (const url of [sent.body.publicUrl, urlOf(sent, 320), urlOf(sent, 640)])
    assert.strictEqual((yield* media(url)).status, 404, url)
})

describe("smaller copies of images", () => {
  it.effect("A face has a small copy, and its address answers with the picture until there is one", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(90)
      const sent = yield* author.avatar({ parts: [wide(9)] })
      assert.strictEqual(sent.status, 202, sent.text)
      for (let step = 0; step < 2; step++) yield* Effect.flatMap(take(1), Effect.forEach(stepOf))
      const whole = yield* media(sent.body.publicUrl)
      assert.strictEqual(whole.status, 200)
      const early = yield* media(urlOf(sent, FACE_WIDTH))
      assert.deepStrictEqual([early.status, early.bytes], [200, whole.bytes])
      assert.strictEqual(early.headers.get("etag"), whole.headers.get("etag"))
      for (const other of [320, 97]) assert.strictEqual((yield* media(urlOf(sent, other))).status, 404)
      const [copy] = yield* scalingTo(FACE_WIDTH)
      yield* workOff
      const face = yield* media(urlOf(sent, FACE_WIDTH))
      assert.deepStrictEqual(face.bytes, copy?.webp)
      assert.notStrictEqual(face.headers.get("etag"), whole.headers.get("etag"))
      assert.deepStrictEqual(yield* objectsOf(sent), [keyOf(sent, FACE_WIDTH), publicKey(sent)])
      // Another avatar replaces it with all its copies.
      yield* author.avatar({ parts: [wide(10)] })
      yield* workOff
      const header = yield* author.header({ parts: [wide(11)] })
      yield* scalingTo(320)
      yield* workOff
      assert.strictEqual((yield* media(urlOf(header, FACE_WIDTH))).status, 404)
    }).pipe(fresh)
  )

  it.effect("A cleared image gets smaller copies, each at an address that never changes", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sent = yield* author.header({ parts: [wide()] })
      const copies = yield* scalingTo(320, 640)
      assert.strictEqual(yield* workOff, 3)
      assert.deepStrictEqual(
        yield* variantsOf(sent),
        Object.fromEntries(copies.map(({ webp, width }) => [width, webp.length]))
      )
      const etags = new Set<string | null>()
      for (const { webp, width } of copies) {
        const answer = yield* media(urlOf(sent, width))
        assert.strictEqual(answer.status, 200)
        assert.deepStrictEqual(answer.bytes, webp)
        assert.strictEqual(answer.headers.get("content-type"), "image/webp")
        assert.strictEqual(answer.headers.get("content-length"), `${webp.length}`)
        assert.strictEqual(answer.headers.get("cache-control"), "public, max-age=31536000, immutable")
        assert.strictEqual(answer.headers.get("content-security-policy"), "default-src 'none'; sandbox")
        const etag = answer.headers.get("etag")!
        etags.add(etag)
        assert.strictEqual((yield* media(urlOf(sent, width), { "if-none-match": etag })).status, 304)
        const part = yield* media(urlOf(sent, width), { range: "bytes=2-5" })
        assert.deepStrictEqual([part.status, part.bytes], [206, webp.slice(2, 6)])
      }
      etags.add((yield* media(sent.body.publicUrl)).headers.get("etag"))
      assert.strictEqual(etags.size, 3)
      const { body } = yield* author.status(sent)
      assert.deepStrictEqual([body.safety.state, body.safety.retryAfterSeconds], ["cleared", 0])
    }).pipe(fresh)
  )

  it.effect("Only the exact address of a copy that was made is answered", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sent = yield* scaled(author)
      const url = urlOf(sent, 320)
      const others = [
        urlOf(sent, 1280),
        url.replace("-320.webp", "-0320.webp"),
        url.replace("-320.webp", "-320.png"),
        url.replace("-320.webp", "-320"),
        url.replace("-320.webp", ".webp"),
        url.replace("-320.webp", "-320-320.webp"),
        url.replace("-320.webp", "-toString.webp"),
        url.replace("-320.webp", "--320.webp"),
        url.replace("-320.webp", "-320.webpx"),
        url.replace("-320.webp", "-99999999999999999999.webp")
      ]
      for (const other of others) assert.strictEqual((yield* media(other)).status, 404, other)
      assert.strictEqual((yield* media(url)).status, 200)
    }).pipe(fresh)
  )

  it.effect("A small image, an animation and a refused image have no smaller copies", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const small = yield* author.avatar({
        parts: [{ ...pngFile(), content: pngOf({ width: 319, height: 900 }) }]
      })
      const gif = {
        ...pngFile(),
        mediaType: "image/gif",
        content: gifOf({ width: 400, height: 2, frames: 2 })
      }
      const animated = yield* author.header({ parts: [gif] })
      assert.deepStrictEqual([small.status, animated.status], [202, 202])
      assert.strictEqual(yield* workOff, 4)
      const refused = yield* author.header({ parts: [wide()] })
      yield* rejecting
      for (const sent of [small, animated, refused]) {
        assert.isNull(yield* variantsOf(sent))
        assert.isNull((yield* kept(sent)).next_task)
        assert.strictEqual((yield* media(urlOf(sent, 320))).status, 404)
      }
      // A small face is sent as it is.
      const face = yield* media(urlOf(small, FACE_WIDTH))
      assert.strictEqual(face.headers.get("content-type"), "image/png")
    }).pipe(fresh)
  )

  const ends = [
    ["cancelled", (author: Uploader, sent: TestAnswer) => author.cancel(sent)],
    ["removed as a header", (author: Uploader) => author.removeHeader()],
    [
      "rejected by another screening",
      Effect.fnUntraced(function* (_: Uploader, sent: TestAnswer) {
        const controls = yield* UploadAdministration
        yield* controls.rescreen(yield* administrator, UploadOperationId.make(idOf(sent)))
        yield* (yield* ScannerMemory).answerNext(malware)
        yield* Effect.flatMap(take(1), Effect.forEach(stepOf))
      })
    ]
  ] as const

  for (const [how, end] of ends) {
    it.effect(`The smaller copies of an image that is ${how} are gone with it`, () =>
      Effect.gen(function* () {
        const author = yield* uploaderOf(1)
        const sent = yield* scaled(author)
        yield* end(author, sent)
        yield* isGone(sent)
        yield* workOff
        assert.deepStrictEqual(yield* objectsOf(sent), [])
      }).pipe(fresh)
    )
  }

  it.effect("The smaller copies of the images of a deleted draft are gone with it", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const draft = yield* author.draft()
      const sent = yield* author.inline(draft, { parts: [wide()] })
      yield* scalingTo(320, 640)
      yield* workOff
      assert.lengthOf(yield* objectsOf(sent), 3)
      yield* author.remove(draft.id)
      yield* isGone(sent)
      yield* workOff
      assert.deepStrictEqual(yield* objectsOf(sent), [])
    }).pipe(fresh)
  )

  it.effect("A hold hides the smaller copies, keeps their files, and its end shows them again", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sent = yield* scaled(author)
      const controls = yield* UploadAdministration
      const id = UploadOperationId.make(idOf(sent))
      yield* controls.hold(yield* administrator, id)
      yield* isGone(sent)
      yield* workOff
      assert.lengthOf(yield* objectsOf(sent), 3)
      yield* controls.release(yield* administrator, id)
      assert.strictEqual((yield* media(urlOf(sent, 640))).status, 200)
    }).pipe(fresh)
  )

  it.effect("An image that is cancelled while its copies are made loses them when that ends", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sent = yield* unscaled(author)
      const [scaling] = yield* take(1)
      yield* author.cancel(sent)
      yield* isGone(sent)
      // The fiber may still store: the files are removed after its lease.
      assert.strictEqual(yield* workOff, 0)
      yield* scalingTo(320, 640)
      yield* stepOf(scaling!)
      yield* isGone(sent)
      yield* workOff
      assert.deepStrictEqual(yield* objectsOf(sent), [])
    }).pipe(fresh)
  )

  it.effect("Copies of a process that died are made again, or removed with their image", () =>
    Effect.gen(function* () {
      for (const isCancelled of [false, true]) {
        const author = yield* uploaderOf(1)
        const sent = yield* unscaled(author)
        assert.lengthOf(yield* take(1), 1)
        // It stored a copy, and died before it recorded any.
        const storage = yield* ObjectStorage
        const half = Uint8Array.of(1, 2, 3)
        yield* storage.put(keyOf(sent, 320), half, { contentType: "image/webp" })
        assert.strictEqual((yield* media(urlOf(sent, 320))).status, 404)
        if (isCancelled) yield* author.cancel(sent)
        yield* TestClock.adjust(LEASE)
        const copies = isCancelled ? [] : yield* scalingTo(320, 640)
        assert.strictEqual(yield* workOff, 1)
        assert.lengthOf(yield* objectsOf(sent), isCancelled ? 0 : 3)
        for (const { webp, width } of copies)
          assert.deepStrictEqual((yield* media(urlOf(sent, width))).bytes, webp)
      }
    }).pipe(fresh)
  )

  it.effect("Two processes that make the same copies leave one set, and one record", () =>
    Effect.gen(function* () {
      const [late, second] = yield* twoProcesses("test_uploads_scaling_twice")
      const author = yield* as(late)(uploaderOf(1))
      const sent = yield* as(late)(unscaled(author))
      const [scaling] = yield* as(late)(take(1))
      yield* TestClock.adjust(LEASE)
      yield* as(second)(scalingTo(320, 640))
      assert.strictEqual(yield* as(second)(workOff), 1)
      const recorded = yield* as(second)(variantsOf(sent))
      yield* as(late)(scalingTo(320))
      yield* as(late)(stepOf(scaling!))
      assert.deepStrictEqual(yield* as(second)(variantsOf(sent)), recorded)
      for (const width of [320, 640])
        assert.strictEqual((yield* as(second)(media(urlOf(sent, width)))).status, 200)
      assert.strictEqual(yield* as(second)(workOff), 0)
      assert.strictEqual(Context.get(late, ObjectStorageMemory), Context.get(second, ObjectStorageMemory))
    })
  )

  it.effect("A decoder that is unavailable is waited for, and the image stays cleared without a reason", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sent = yield* unscaled(author)
      const decoder = yield* ImageDecoderMemory
      for (let attempt = 0; attempt < 8; attempt++) {
        yield* decoder.scaleNext(Effect.fail(new ImageDecoderUnavailable({ cause: "away" })))
        assert.strictEqual(yield* workOff, 1)
        const { body } = yield* author.status(sent)
        assert.deepStrictEqual([body.safety.state, body.safety.lastError], ["cleared", null])
        assert.strictEqual((yield* media(sent.body.publicUrl)).status, 200)
        yield* Effect.flatMap(waitOf(sent), TestClock.adjust)
      }
      yield* scalingTo(320)
      yield* workOff
      assert.strictEqual((yield* media(urlOf(sent, 320))).status, 200)
    }).pipe(fresh)
  )

  it.effect("An image that fails five attempts is left without copies, and stays as it was", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const decoder = yield* ImageDecoderMemory
      const webp = yield* Effect.promise(() => webpOf({ width: 320, height: 2 }))
      const animation = yield* Effect.promise(() => animatedWebpOf(2, { width: 320, height: 2 }))
      const copyOf = (copy: Uint8Array, width = 320) => Effect.succeed([{ width, webp: copy }])
      const failures = [
        Effect.fail(new ImageDecodingFailed({ reason: "deadline" })),
        Effect.fail(new ImageUnreadable({ reason: "undecodable" })),
        copyOf(webp, 640),
        copyOf(animation),
        copyOf(bytesOf(webp, "<script>alert(1)</script>")),
        copyOf(webp.slice(0, 30)),
        copyOf(bytesOf("<!doctype html>")),
        copyOf(pngOf({ width: 320, height: 2 }))
      ]
      for (const failure of failures) {
        const sent = yield* unscaled(author)
        for (let attempt = 0; attempt < 5; attempt++) {
          yield* decoder.scaleNext(failure)
          assert.strictEqual(yield* workOff, 1)
          yield* Effect.flatMap(waitOf(sent), (millis) => TestClock.adjust(Math.max(millis, 0)))
        }
        assert.strictEqual(yield* workOff, 0)
        assert.deepStrictEqual(yield* variantsOf(sent), {})
        const row = yield* kept(sent)
        assert.deepStrictEqual([row.state, row.verdict, row.last_error], ["cleared", "cleared", null])
        assert.deepStrictEqual(yield* objectsOf(sent), [publicKey(sent)])
        assert.strictEqual((yield* media(sent.body.publicUrl)).status, 200)
        yield* TestClock.adjust("1 minute")
      }
    }).pipe(fresh)
  )

  it.effect("Images that were cleared before there were smaller copies get theirs by and by", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sql = yield* SqlClient.SqlClient
      const uploads = yield* Uploads
      const sent = yield* scaled(author)
      const small = yield* author.avatar()
      yield* workOff
      yield* uploads.sweep
      assert.strictEqual(yield* workOff, 0)
      yield* sql`update upload_operations set variants = null`
      assert.strictEqual((yield* media(urlOf(sent, 320))).status, 404)
      yield* uploads.sweep
      yield* scalingTo(320)
      assert.strictEqual(yield* workOff, 1)
      assert.strictEqual((yield* media(urlOf(sent, 320))).status, 200)
      assert.isNull(yield* variantsOf(small))
    }).pipe(fresh)
  )

  it.effect("Old images are found by an index that has no others", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sql = yield* SqlClient.SqlClient
      const operations = yield* operationStatements
      yield* scaled(author)
      yield* sql`
        insert into upload_operations (id, owner_id, target_kind, target_id, target_key, generation, request_key, created_at,
          state, due_at, policy_version, staged_bytes, received_at, sha256, format, width, height, frames, public_url,
          public_size, variants, verdict, decided_at)
        select gen_random_uuid(), u.owner_id, 'header', u.target_id, '', 100 + n, 'old ' || n, u.created_at, 'cleared', u.due_at,
          u.policy_version, 0, u.received_at, u.sha256, 'png', 700, 4, 1, u.public_url || n, 9,
          case when n > 30 then u.variants end, 'cleared', u.decided_at
        from upload_operations u, generate_series(1, 5000) n where u.target_kind = 'header'`
      yield* sql`analyze upload_operations`
      for (const mode of ["force_generic_plan", "force_custom_plan"] as const) {
        const nodes = yield* planNodes(mode, operations.scaleOld(new Date(0), 20))
        assert.include(
          nodes.map((it) => it["Index Name"]),
          "upload_operations_unscaled"
        )
        assert.notInclude(
          nodes.map((it) => it["Node Type"]),
          "Seq Scan"
        )
      }
    }).pipe(fresh)
  )
})
