import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { KnownMaterialMemory } from "../../../layers/testing/KnownMaterialMemory.ts"
import { ScannerMemory } from "../../../layers/testing/ScannerMemory.ts"
import { UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { UploadAdministration } from "../../../src/publishing/uploads/UploadAdministration.ts"
import { media, pngFile, type Uploader, uploaderOf, workOff } from "../../support/actors/uploader.ts"
import type { TestAnswer } from "../../support/TestClient.ts"
import { pngMetadata, pngOf } from "../image-formats/png/makePng.ts"
import {
  administrator,
  alone,
  idOf,
  kept,
  malware,
  objectsOf,
  publicKey,
  rejecting,
  stagedKey
} from "./screenings.ts"

const digestOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

const fresh = alone("test_uploads_holds")

/** Runs an administrator's procedure on the operation of a receipt. */
const control = (what: "hold" | "release" | "rescreen") => (sent: TestAnswer) =>
  Effect.gen(function* () {
    const controls = yield* UploadAdministration
    yield* controls[what](yield* administrator, UploadOperationId.make(idOf(sent)))
  })
const hold = control("hold")
const release = control("release")
const rescreen = control("rescreen")

/** Asserts the problem of a held operation, with its whole receipt. */
const assertBlocked = (answer: TestAnswer, sent: TestAnswer) => {
  assert.strictEqual(answer.body.type.replace(/^.*\//, ""), "screening-blocked", answer.text)
  assert.strictEqual(answer.status, answer.body.status)
  const { actions, currentRevision, publicUrl, safety } = answer.body
  assert.isNull(publicUrl)
  assert.deepInclude(safety, { operationId: idOf(sent), held: true, eligible: false })
  assert.deepStrictEqual([actions, currentRevision], [sent.body.actions, sent.body.currentRevision])
}

const listed = Effect.fnUntraced(function* (author: Uploader, sent: TestAnswer) {
  const { body } = yield* author.operations()
  return body.operations.find((it: TestAnswer["body"]) => it.safety.operationId === idOf(sent))
})

describe("screening-blocked for held items (3.2.8)", () => {
  it.effect("Status, associate and a replay answer screening-blocked with the members of the receipt", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sent = yield* author.avatar({ key: "held" })
      yield* hold(sent)
      assertBlocked(yield* author.status(sent), sent)
      assertBlocked(yield* author.associate(sent), sent)
      const replay = yield* author.avatar({ key: "held" })
      assertBlocked(replay, sent)
      assert.isTrue(replay.body.replayed)
    }).pipe(fresh)
  )

  it.effect("A held image is listed without a URL, and its media path is 404 until the release", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sent = yield* author.avatar()
      yield* workOff
      yield* hold(sent)
      const receipt = yield* listed(author, sent)
      assert.isNull(receipt.publicUrl)
      assert.deepInclude(receipt.safety, { held: true, eligible: false, state: "cleared" })
      assert.strictEqual((yield* media(sent.body.publicUrl)).status, 404)
      yield* release(sent)
      assert.strictEqual((yield* media(sent.body.publicUrl)).status, 200)
      const { body } = yield* author.status(sent)
      assert.deepInclude(body.safety, { held: false, eligible: true, associated: true })
      assert.strictEqual(body.publicUrl, sent.body.publicUrl)
    }).pipe(fresh)
  )

  it.effect("DELETE on actions.cancel does not clear an incident hold, and the files stay (3.2.4)", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sent = yield* author.avatar()
      yield* hold(sent)
      const cancelled = yield* author.cancel(sent)
      assert.strictEqual(cancelled.status, 200)
      assert.deepInclude(cancelled.body.safety, { held: true, desired: false, state: "cancelled" })
      assert.strictEqual(yield* workOff, 0)
      assert.deepStrictEqual(yield* objectsOf(sent), [publicKey(sent), stagedKey(sent)])
      assertBlocked(yield* author.status(sent), sent)
      yield* release(sent)
      assert.strictEqual(yield* workOff, 1)
      assert.deepStrictEqual(yield* objectsOf(sent), [])
      assert.strictEqual((yield* media(sent.body.publicUrl)).status, 404)
    }).pipe(fresh)
  )

  for (const verdict of ["cleared", "rejected"] as const) {
    it.effect(`An image that is ${verdict} while held keeps its files until the release`, () =>
      Effect.gen(function* () {
        const author = yield* uploaderOf(1)
        const sent = yield* author.avatar()
        yield* hold(sent)
        assert.strictEqual(yield* verdict === "rejected" ? rejecting : workOff, 1)
        const row = yield* kept(sent)
        assert.deepStrictEqual([row.state, row.next_task], [verdict, "clean_up"])
        assert.deepStrictEqual(yield* objectsOf(sent), [publicKey(sent), stagedKey(sent)])
        assert.strictEqual((yield* media(sent.body.publicUrl)).status, 404)
        assert.strictEqual(
          (yield* author.profile()).body.avatarUrl,
          verdict === "cleared" ? sent.body.publicUrl : null
        )
        yield* release(sent)
        assert.strictEqual(yield* workOff, 1)
        assert.deepStrictEqual(yield* objectsOf(sent), verdict === "cleared" ? [publicKey(sent)] : [])
        assert.strictEqual((yield* media(sent.body.publicUrl)).status, verdict === "cleared" ? 200 : 404)
      }).pipe(fresh)
    )
  }

  it.effect("A hold during a check lets the verdict be made, and removes nothing", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const scanner = yield* ScannerMemory
      const sent = yield* author.avatar()
      yield* scanner.answerNext(malware)
      yield* scanner.hold
      const working = yield* Effect.forkChild(workOff)
      yield* scanner.held
      yield* hold(sent)
      yield* scanner.release
      assert.strictEqual(yield* Fiber.join(working), 1)
      assert.strictEqual((yield* kept(sent)).state, "rejected")
      assert.lengthOf(yield* objectsOf(sent), 2)
    }).pipe(fresh)
  )

  it.effect("A hold and a release may be repeated, and fail for an unknown operation", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sent = yield* author.avatar()
      yield* Effect.andThen(hold(sent), hold(sent))
      yield* Effect.andThen(release(sent), release(sent))
      assert.strictEqual((yield* author.status(sent)).status, 202)
      const none = { ...sent, body: { safety: { operationId: "0197a1b2-0000-7000-8000-000000000000" } } }
      for (const refused of [hold, release, rescreen]) {
        assert.strictEqual((yield* Effect.flip(refused(none)))._tag, "UploadNotFound")
      }
    }).pipe(fresh)
  )
})

describe("a rescreening", () => {
  it.effect("A rescreening of a cleared image with another verdict removes it", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sent = yield* author.avatar()
      yield* workOff
      assert.deepStrictEqual(yield* objectsOf(sent), [publicKey(sent)])
      yield* rescreen(sent)
      assert.strictEqual((yield* author.status(sent)).body.safety.state, "queued")
      assert.strictEqual((yield* media(sent.body.publicUrl)).status, 200)
      yield* rejecting
      assert.strictEqual((yield* author.status(sent)).body.safety.state, "rejected")
      assert.isNull((yield* author.profile()).body.avatarUrl)
      assert.deepStrictEqual(yield* objectsOf(sent), [])
    }).pipe(fresh)
  )

  it.effect("A rescreening compares the hash of the uploaded file, even if only its copy is left", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const { compared } = yield* KnownMaterialMemory
      const content = pngOf({ before: pngMetadata(1) })
      const sent = yield* author.avatar({ parts: [{ ...pngFile(), content }] })
      assert.strictEqual(sent.status, 202, sent.text)
      yield* workOff
      yield* rescreen(sent)
      yield* workOff
      const hashes = (yield* compared).map(({ sha256 }) => sha256)
      assert.deepStrictEqual(hashes, [digestOf(content), digestOf(content)])
    }).pipe(fresh)
  )

  it.effect("A rescreening that clears again leaves the image in place, with a new record", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sent = yield* author.avatar()
      yield* workOff
      yield* (yield* KnownMaterialMemory).setVersion("list-9")
      yield* rescreen(sent)
      yield* workOff
      const row = yield* kept(sent)
      assert.deepStrictEqual([row.state, row.known_material_version], ["cleared", "list-9"])
      assert.strictEqual((yield* author.profile()).body.avatarUrl, sent.body.publicUrl)
    }).pipe(fresh)
  )

  it.effect("A rescreening is refused when the bytes are gone", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const rejected = yield* author.avatar()
      yield* rejecting
      assert.strictEqual((yield* Effect.flip(rescreen(rejected)))._tag, "UploadNotScreenable")
      const cancelled = yield* author.avatar()
      yield* author.cancel(cancelled)
      assert.strictEqual((yield* Effect.flip(rescreen(cancelled)))._tag, "UploadNotScreenable")
    }).pipe(fresh)
  )

  it.effect("A rescreening of an image rejected while held can clear it", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sent = yield* author.avatar()
      yield* hold(sent)
      yield* rejecting
      yield* rescreen(sent)
      yield* workOff
      yield* release(sent)
      yield* workOff
      assert.strictEqual((yield* author.status(sent)).body.safety.state, "cleared")
      assert.strictEqual((yield* media(sent.body.publicUrl)).status, 200)
    }).pipe(fresh)
  )

  it.effect("A rescreening during a check discards the verdict that is under way", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const scanner = yield* ScannerMemory
      const sent = yield* author.avatar()
      yield* scanner.answerNext(malware)
      yield* scanner.hold
      const working = yield* Effect.forkChild(workOff)
      yield* scanner.held
      yield* rescreen(sent)
      yield* scanner.release
      yield* Fiber.join(working)
      yield* workOff
      assert.strictEqual((yield* author.status(sent)).body.safety.state, "cleared")
      assert.lengthOf(yield* scanner.scanned, 2)
    }).pipe(fresh)
  )
})
