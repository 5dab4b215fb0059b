import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { media, pngFile, type Uploader, uploaderOf, workOff } from "../../../support/actors/uploader.ts"
import { BASE_URL, type TestAnswer } from "../../../support/TestClient.ts"
import { webApp } from "../../../support/webApp.ts"
import { multipart } from "../multipart.ts"
import { alone, objectsOf, publicKey } from "../screenings.ts"

const fresh = alone("test_uploads_places")

const associated = ({ body }: TestAnswer) => body.safety.associated as boolean

/** Edits a Post while the bytes of its og image arrive. */
const ogDuring = Effect.fnUntraced(function* (author: Uploader, edit: object) {
  const post = yield* author.draft({ ogImage: "https://example.org/first.png" })
  const answer = yield* webApp
  const form = multipart([pngFile()])
  const arrived = yield* Deferred.make<void>()
  const edited = yield* Deferred.make<void>()
  const editing = yield* Effect.forkChild(
    Deferred.await(arrived).pipe(
      Effect.andThen(author.patch(post.id, edit)),
      Effect.tap(() => Deferred.succeed(edited, undefined))
    )
  )
  const body = Stream.concat(
    Stream.make(form.body.subarray(0, 200)),
    Stream.fromEffect(
      Effect.as(
        Effect.andThen(Deferred.succeed(arrived, undefined), Deferred.await(edited)),
        form.body.subarray(200)
      )
    )
  )
  const init: RequestInit & { readonly duplex: "half" } = {
    method: "POST",
    body: yield* Stream.toReadableStreamEffect(body, { strategy: { highWaterMark: 0 } }),
    duplex: "half",
    headers: {
      authorization: `Bearer ${author.key}`,
      "idempotency-key": "during",
      "x-post-revision": post.updatedAt,
      ...form.headers
    }
  }
  const sent = yield* answer(new Request(`${BASE_URL}/api/v1/posts/${post.id}/images?intent=og`, init))
  assert.strictEqual((yield* Fiber.join(editing)).status, 200)
  return { post, sent }
})

describe("the place of an image (spec 4.4.3)", () => {
  it.effect("An og image does not replace one that its author chose while its bytes arrived", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const chosen = "https://example.org/chosen.png"
      const { post, sent } = yield* ogDuring(author, { ogImage: chosen })
      assert.deepStrictEqual([sent.status, associated(sent)], [202, false], sent.text)
      assert.strictEqual((yield* author.read(post.id)).body.ogImage, chosen)
      yield* workOff
      assert.isFalse(associated(yield* author.status(sent)))
      assert.isTrue(associated(yield* author.associate(sent)))
      assert.strictEqual((yield* author.read(post.id)).body.ogImage, sent.body.publicUrl)
    }).pipe(fresh)
  )

  it.effect("An og image takes its place after an edit of another member", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const { post, sent } = yield* ogDuring(author, { title: "Another title" })
      assert.isTrue(associated(sent), sent.text)
      assert.strictEqual((yield* author.read(post.id)).body.ogImage, sent.body.publicUrl)
    }).pipe(fresh)
  )

  for (const kind of ["avatar", "og"] as const) {
    it.effect(`Cancelling a newer ${kind} makes the one before it current and eligible again`, () =>
      Effect.gen(function* () {
        const author = yield* uploaderOf(1)
        const post = yield* author.draft()
        const upload = Effect.fnUntraced(function* (seed: number) {
          const parts = [pngFile(seed)]
          if (kind === "avatar") return yield* author.avatar({ parts })
          return yield* author.og((yield* author.read(post.id)).body, { parts })
        })
        const first = yield* upload(1)
        const second = yield* upload(2)
        yield* workOff
        assert.isFalse((yield* author.status(first)).body.safety.eligible)
        const cancelled = (yield* author.cancel(second)).body.safety
        assert.deepStrictEqual([cancelled.generation, cancelled.currentGeneration], [2, 1])
        const again = (yield* author.status(first)).body
        assert.deepStrictEqual([again.safety.eligible, again.safety.associated], [true, false])
        assert.isTrue(associated(yield* author.associate(first)))
        assert.strictEqual((yield* media(first.body.publicUrl)).status, 200)
      }).pipe(fresh)
    )
  }

  it.effect("Removing the header removes its public copy", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sent = yield* author.header()
      yield* workOff
      assert.deepStrictEqual(yield* objectsOf(sent), [publicKey(sent)])
      yield* author.removeHeader()
      assert.strictEqual((yield* media(sent.body.publicUrl)).status, 404)
      yield* workOff
      assert.deepStrictEqual(yield* objectsOf(sent), [])
      assert.strictEqual((yield* author.status(sent)).body.safety.state, "cancelled")
      assert.strictEqual((yield* author.removeHeader()).status, 200)
    }).pipe(fresh)
  )
})

describe("references of a Post to an inline image (spec 2.8)", () => {
  it.effect("An image or a link is a reference, and a URL in code, in text or as ogImage is not", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const post = yield* author.draft()
      const sent = yield* author.inline(post)
      const url = sent.body.publicUrl as string
      for (const [freeContentMarkdown, expected] of [
        [`words\n\n![it](${url})`, true],
        [`[it](${url})`, true],
        [`![it][1]\n\n[1]: ${url}`, true],
        [`![it](${url.replaceAll("-", "\\-")})`, true],
        [`\`${url}\``, false],
        [`    ${url}`, false],
        ["words", false]
      ] as const) {
        yield* author.patch(post.id, { freeContentMarkdown })
        const { body } = yield* author.status(sent)
        assert.strictEqual(body.safety.associated, expected, freeContentMarkdown)
        const { operations } = (yield* author.operations(`?postId=${post.id}`)).body
        assert.strictEqual(operations[0].safety.associated, expected, freeContentMarkdown)
      }
      yield* author.patch(post.id, { ogImage: url })
      assert.isFalse(associated(yield* author.status(sent)))
    }).pipe(fresh)
  )

  it.effect("A cancelled image is never associated, with its URL in any place", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const post = yield* author.draft()
      const sent = yield* author.inline(post)
      const url = sent.body.publicUrl as string
      yield* author.patch(post.id, { freeContentMarkdown: `![it](${url})\n\n\`${url}\`` })
      assert.isTrue(associated(yield* author.status(sent)))
      assert.isFalse(associated(yield* author.cancel(sent)))
      yield* author.patch(post.id, { freeContentMarkdown: `![it](${url}) again` })
      assert.isFalse(associated(yield* author.status(sent)))
    }).pipe(fresh)
  )
})
