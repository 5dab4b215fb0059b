import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ImageDecoderMemory } from "../../../../layers/testing/ImageDecoderMemory.ts"
import { ObjectStorageMemory } from "../../../../layers/testing/ObjectStorageMemory.ts"
import { ScannerMemory } from "../../../../layers/testing/ScannerMemory.ts"
import type { NativeDocument } from "../../../../schemas/publishing/posts/NativeDocument.ts"
import { ImageUnreadable } from "../../../../src/platform/ports/ImageDecoder.ts"
import { NativeContents, type NativePatch } from "../../../../src/publishing/posts/NativeContents.ts"
import { media, pngFile, type Uploader, uploaderOf, workOff } from "../../../support/actors/uploader.ts"
import type { TestAnswer } from "../../../support/TestClient.ts"
import { alone, kept, malware, objectsOf, publicKey, rejecting, stagedKey, waitOf } from "../screenings.ts"

const fresh = alone("test_uploads_verdicts")

const node = (key: string) => ({ headers: { "x-upload-target-key": key } })

/** Publishes a paid Post with two images in each section, one of them as `ogImage`. */
const illustrated = Effect.fnUntraced(function* (author: Uploader) {
  const post = yield* author.published()
  const { body: before } = yield* author.read(post.id)
  const bad = yield* author.inline(before, { ...node("bad"), parts: [pngFile(1)] })
  const good = yield* author.inline(before, { ...node("good"), parts: [pngFile(2)] })
  const [bads, goods] = [bad, good].map(({ body }) => `![it](${body.publicUrl})`)
  const saved = yield* author.patch(post.id, {
    freeContentMarkdown: `Free\n\n${bads}\n\n${goods}\n\nwords`,
    paidContentMarkdown: `Paid\n\n${goods}\n\n${bads}\n\nwords`,
    enablePaywall: true,
    priceXno: "1",
    ogImage: bad.body.publicUrl
  })
  assert.strictEqual(saved.status, 200, saved.text)
  return { id: post.id as string, bad, good, goods: goods!, revision: saved.body.updatedAt as string }
})

/** Makes the next screened image end in this state; the others are cleared. */
const against = {
  rejected: Effect.flatMap(ScannerMemory, (it) => it.answerNext(malware)),
  failed: Effect.flatMap(ImageDecoderMemory, (it) =>
    it.failNext(new ImageUnreadable({ reason: "undecodable" }))
  )
} as const

/** Revisions have microseconds, which no `Date` holds. */
const microsOf = (revision: string) => BigInt(revision.replace(/\D/gu, "").padEnd(20, "0"))
const isLater = (after: string, before: string) =>
  assert.isTrue(microsOf(after) > microsOf(before), `${after} after ${before}`)

/** Asserts that readers do not get the image and that all its files are gone. */
const isGone = Effect.fnUntraced(function* (sent: TestAnswer) {
  assert.strictEqual((yield* media(sent.body.publicUrl)).status, 404)
  assert.deepStrictEqual(yield* objectsOf(sent), [])
  const { next_task, staged_bytes } = yield* kept(sent)
  assert.deepStrictEqual([next_task, staged_bytes], [null, 0])
})

const writeNative = Effect.fnUntraced(function* (author: Uploader, id: string, patch: NativePatch) {
  const contents = yield* NativeContents
  yield* author.asService((publisher, id) => contents.write(publisher, id, patch))(id)
})

const doc = (...urls: ReadonlyArray<string>): NativeDocument => ({
  type: "doc",
  content: [
    { type: "paragraph", content: [{ type: "text", text: "words" }] },
    ...urls.map((src) => ({ type: "image", attrs: { src } }))
  ]
})

describe("background rejection or exhausted retries (3.2.6)", () => {
  for (const verdict of ["rejected", "failed"] as const) {
    it.effect(`An image that is ${verdict} loses its exact references, and other images stay`, () =>
      Effect.gen(function* () {
        const author = yield* uploaderOf(1)
        const { bad, good, goods, id, revision } = yield* illustrated(author)
        yield* against[verdict]
        yield* workOff
        const { body } = yield* author.read(id)
        assert.strictEqual(body.freeContentMarkdown, `Free\n\n${goods}\n\nwords`)
        assert.strictEqual(body.paidContentMarkdown, `Paid\n\n${goods}\n\nwords`)
        assert.isNull(body.ogImage)
        assert.deepStrictEqual([body.status, body.enablePaywall], ["published", true])
        isLater(body.updatedAt, revision)
        yield* isGone(bad)
        const receipt = (yield* author.status(bad)).body
        assert.strictEqual(receipt.safety.state, verdict)
        assert.deepStrictEqual(
          [receipt.publicUrl, receipt.safety.associated, receipt.safety.eligible, receipt.currentRevision],
          [null, false, false, body.updatedAt]
        )
        assert.strictEqual((yield* author.status(good)).body.safety.state, "cleared")
        assert.strictEqual((yield* media(good.body.publicUrl)).status, 200)
        assert.deepStrictEqual(yield* objectsOf(good), [publicKey(good)])
      }).pipe(fresh)
    )

    it.effect(`An og image that is ${verdict} leaves the Post, which has a new revision`, () =>
      Effect.gen(function* () {
        const author = yield* uploaderOf(1)
        const post = yield* author.draft()
        const og = yield* author.og(post)
        const { body: before } = yield* author.read(post.id)
        assert.strictEqual(before.ogImage, og.body.publicUrl)
        isLater(before.updatedAt, post.updatedAt)
        yield* against[verdict]
        yield* workOff
        const { body } = yield* author.read(post.id)
        assert.isNull(body.ogImage)
        isLater(body.updatedAt, before.updatedAt)
        yield* isGone(og)
      }).pipe(fresh)
    )

    for (const kind of ["avatar", "header"] as const) {
      const field = { avatar: "avatarUrl", header: "headerImageUrl" }[kind]
      const another = kind === "avatar" ? "header" : "avatar"
      const anotherField = { avatar: "avatarUrl", header: "headerImageUrl" }[another]

      it.effect(`A ${kind} that is ${verdict} leaves the Profile, and nothing else of it`, () =>
        Effect.gen(function* () {
          const author = yield* uploaderOf(1)
          const bad = yield* author[kind]()
          const good = yield* author[another]({ parts: [pngFile(2)] })
          yield* against[verdict]
          yield* workOff
          const { body } = yield* author.profile()
          assert.isNull(body[field])
          assert.strictEqual(body[anotherField], good.body.publicUrl)
          yield* isGone(bad)
        }).pipe(fresh)
      )
    }
  }

  it.effect("References in a native document are removed, in either section", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const post = yield* author.draft()
      const bad = yield* author.inline(post, node("bad"))
      const good = yield* author.inline(post, { ...node("good"), parts: [pngFile(2)] })
      const urls = [bad.body.publicUrl, good.body.publicUrl]
      yield* writeNative(author, post.id, { free: doc(...urls), paid: doc(...urls.toReversed()) })
      assert.isTrue((yield* author.status(bad)).body.safety.associated)
      const before = (yield* author.read(post.id)).body.updatedAt
      yield* rejecting
      const { body } = yield* author.read(post.id)
      for (const text of [body.freeContentMarkdown, body.paidContentMarkdown]) {
        assert.include(text, good.body.publicUrl)
        assert.notInclude(text, bad.body.publicUrl)
      }
      isLater(body.updatedAt, before)
      assert.isFalse((yield* author.status(bad)).body.safety.associated)
      assert.isTrue((yield* author.status(good)).body.safety.associated)
    }).pipe(fresh)
  )

  it.effect("A Post that does not refer to the image keeps its revision", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const post = yield* author.draft()
      const bad = yield* author.inline(post)
      yield* rejecting
      assert.strictEqual((yield* author.read(post.id)).body.updatedAt, post.updatedAt)
      yield* isGone(bad)
    }).pipe(fresh)
  )

  it.effect("A rejected avatar that was replaced meanwhile leaves the new one in place", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const bad = yield* author.avatar()
      const good = yield* author.avatar({ parts: [pngFile(2)] })
      yield* rejecting
      assert.strictEqual((yield* author.profile()).body.avatarUrl, good.body.publicUrl)
      yield* isGone(bad)
      const { currentGeneration, generation, state } = (yield* author.status(bad)).body.safety
      assert.deepStrictEqual([generation, currentGeneration, state], [1, 2, "rejected"])
    }).pipe(fresh)
  )

  it.effect("A rejected public copy is 404 immediately, and deleted once storage allows it", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const bad = yield* author.avatar()
      yield* (yield* ObjectStorageMemory).failNext("remove", 12)
      yield* rejecting
      assert.strictEqual((yield* media(bad.body.publicUrl)).status, 404)
      for (let refused = 1; refused < 12; refused++) {
        assert.deepStrictEqual(yield* objectsOf(bad), [publicKey(bad), stagedKey(bad)])
        yield* TestClock.adjust(yield* waitOf(bad))
        assert.strictEqual(yield* workOff, 1)
        const { body, status } = yield* author.status(bad)
        assert.deepStrictEqual([status, body.safety.state, body.safety.lastError], [200, "rejected", null])
      }
      yield* TestClock.adjust(yield* waitOf(bad))
      yield* workOff
      yield* isGone(bad)
      assert.strictEqual((yield* author.status(bad)).body.safety.state, "rejected")
    }).pipe(fresh)
  )

  it.effect("A concurrent edit is saved before the removal or conflicts, and never undoes it", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const scanner = yield* ScannerMemory
      for (let round = 0; round < 4; round++) {
        const post = yield* author.draft()
        const bad = yield* author.inline(post, { parts: [pngFile(round)] })
        const text = `![it](${bad.body.publicUrl})\n\nround ${round}`
        const { body: saved } = yield* author.patch(post.id, { freeContentMarkdown: text })
        yield* scanner.answerNext(malware)
        const edits = Array.from({ length: 6 }, (_, n) =>
          author.patch(
            post.id,
            { freeContentMarkdown: `${text} edit ${n}` },
            { "x-post-revision": saved.updatedAt }
          )
        )
        const [, ...answers] = yield* Effect.all([workOff, ...edits], { concurrency: "unbounded" })
        for (const { status } of answers) assert.include([200, 409], status)
        const { body } = yield* author.read(post.id)
        assert.notInclude(body.freeContentMarkdown, bad.body.publicUrl)
        assert.include(body.freeContentMarkdown, `round ${round}`)
        yield* isGone(bad)
      }
    }).pipe(fresh)
  )

  it.effect("A Post that is deleted during a check gets no verdict, and its files go", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const scanner = yield* ScannerMemory
      const post = yield* author.draft()
      const sent = yield* author.inline(post)
      yield* scanner.answerNext(malware)
      yield* scanner.hold
      const working = yield* Effect.forkChild(workOff)
      yield* scanner.held
      assert.strictEqual((yield* author.remove(post.id)).status, 204)
      assert.strictEqual((yield* media(sent.body.publicUrl)).status, 404)
      yield* scanner.release
      yield* Fiber.join(working)
      yield* workOff
      yield* isGone(sent)
      const { state, verdict } = yield* kept(sent)
      assert.deepStrictEqual([state, verdict], ["cancelled", null])
      assert.strictEqual((yield* author.status(sent)).body.safety.desired, false)
    }).pipe(fresh)
  )

  it.effect("A deletion that is refused keeps the images of the Post", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const post = yield* author.published()
      const sent = yield* author.inline((yield* author.read(post.id)).body)
      assert.isAtLeast((yield* author.remove(post.id)).status, 400)
      yield* workOff
      const { body } = yield* author.status(sent)
      assert.deepStrictEqual([body.safety.state, body.safety.desired], ["cleared", true])
      assert.strictEqual((yield* media(sent.body.publicUrl)).status, 200)
    }).pipe(fresh)
  )
})
