import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { refusalOf } from "../../../support/actors/author.ts"
import { pngFile, uploaderOf, workOff } from "../../../support/actors/uploader.ts"
import { database } from "../../../support/Database.ts"
import { service } from "../../../support/TestClient.ts"

let uploaders = 0
const uploader = Effect.suspend(() => uploaderOf(++uploaders))

layer(service(database("test_upload_association")))("association of an admitted image (2.8, 4.4)", (it) => {
  it.effect(
    "Avatar, header and og are associated immediately, and inline images when the Post is saved",
    () =>
      Effect.gen(function* () {
        const author = yield* uploader
        const post = yield* author.draft()
        const [avatar, header, og] = [yield* author.avatar(), yield* author.header(), yield* author.og(post)]
        for (const { body } of [avatar, header, og]) {
          assert.deepStrictEqual([body.safety.associated, body.safety.eligible], [true, false])
        }
        const profile = (yield* author.profile()).body
        assert.strictEqual(profile.avatarUrl, avatar.body.publicUrl)
        assert.strictEqual(profile.headerImageUrl, header.body.publicUrl)
        const saved = (yield* author.read(post.id)).body
        assert.deepStrictEqual([saved.ogImage, saved.updatedAt], [og.body.publicUrl, og.body.currentRevision])
        const inline = yield* author.inline(saved)
        assert.strictEqual(inline.body.safety.associated, false)
        yield* author.patch(post.id, { freeContentMarkdown: `![a](${inline.body.publicUrl})` })
        assert.strictEqual((yield* author.status(inline)).body.safety.associated, true)
      })
  )

  it.effect(
    "An upload gives the Post a later revision, even in one clock tick, and the old one is a 409",
    () =>
      Effect.gen(function* () {
        const author = yield* uploader
        const post = yield* author.draft()
        let revision: string = post.updatedAt
        for (let n = 1; n <= 5; n++) {
          const { body } = yield* author.og({ ...post, updatedAt: revision }, { parts: [pngFile(n)] })
          assert.isTrue(body.currentRevision > revision, `${body.currentRevision} after ${revision}`)
          const stale = yield* author.patch(post.id, { title: "Stale" }, { "x-post-revision": revision })
          assert.deepStrictEqual(refusalOf(stale), [409, "revision-conflict"])
          revision = body.currentRevision
        }
        const fresh = yield* author.patch(post.id, { title: "Fresh" }, { "x-post-revision": revision })
        assert.deepStrictEqual([fresh.status, fresh.body.title], [200, "Fresh"])
      })
  )

  it.effect("An inline image does not change the revision", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      const { body } = yield* author.inline(post)
      assert.strictEqual(body.currentRevision, post.updatedAt)
      assert.strictEqual((yield* author.read(post.id)).body.updatedAt, post.updatedAt)
      assert.isNull((yield* author.avatar()).body.currentRevision)
    })
  )

  it.effect("A status does not undo an author's later ogImage, but an associate does", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      const og = yield* author.og(post)
      const own = "https://elsewhere.test/own.png"
      for (const ogImage of [own, null]) {
        const patched = yield* author.patch(post.id, { ogImage })
        assert.strictEqual(patched.status, 200, patched.text)
        const status = yield* author.status(og)
        assert.deepStrictEqual(
          [status.body.safety.associated, status.body.publicUrl],
          [false, og.body.publicUrl]
        )
        assert.strictEqual((yield* author.read(post.id)).body.ogImage, ogImage)
        yield* workOff
        assert.strictEqual((yield* author.read(post.id)).body.ogImage, ogImage)
        const associated = yield* author.associate(og)
        assert.isTrue(associated.body.safety.associated)
        assert.isTrue(associated.body.currentRevision > patched.body.updatedAt)
        assert.strictEqual((yield* author.read(post.id)).body.ogImage, og.body.publicUrl)
        assert.deepStrictEqual((yield* author.associate(og)).body, associated.body)
      }
    })
  )

  it.effect("Generations of a target count up, and an older one is obsolete for good", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const first = yield* author.avatar({ parts: [pngFile(1)] })
      const second = yield* author.avatar({ parts: [pngFile(2)] })
      const header = yield* author.header({ parts: [pngFile(3)] })
      yield* workOff
      const generationOf = ({ safety }: { readonly safety: Record<string, unknown> }) => [
        safety["generation"],
        safety["currentGeneration"],
        safety["associated"],
        safety["eligible"],
        safety["state"]
      ]
      assert.deepStrictEqual(generationOf((yield* author.status(second)).body), [2, 2, true, true, "cleared"])
      assert.deepStrictEqual(generationOf((yield* author.status(header)).body), [1, 1, true, true, "cleared"])
      for (const act of [author.status, author.associate]) {
        assert.deepStrictEqual(generationOf((yield* act(first)).body), [1, 2, false, false, "cleared"])
      }
      assert.strictEqual((yield* author.profile()).body.avatarUrl, second.body.publicUrl)
    })
  )

  it.effect("Each node of a text has its own generations", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      const generation = (node: string) =>
        Effect.map(
          author.inline(post, { headers: { "x-upload-target-key": node } }),
          ({ body }) => body.safety.generation
        )
      assert.deepStrictEqual(
        yield* Effect.all([generation("a"), generation("b"), generation("a"), generation("A")]),
        [1, 1, 2, 1]
      )
    })
  )

  it.effect("DELETE header removes the image, is safe to repeat, and reconciling does not undo it", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const header = yield* author.header()
      const avatar = yield* author.avatar()
      for (let n = 0; n < 2; n++) {
        const removed = yield* author.removeHeader()
        assert.deepStrictEqual([removed.status, removed.body], [200, { headerImageUrl: null }])
        const { avatarUrl, headerImageUrl } = (yield* author.profile()).body
        assert.deepStrictEqual([avatarUrl, headerImageUrl], [avatar.body.publicUrl, null])
        for (const act of [author.status, author.associate]) {
          const { associated, desired, eligible } = (yield* act(header)).body.safety
          assert.deepStrictEqual([associated, desired, eligible], [false, false, false])
        }
      }
      const next = yield* author.header({ parts: [pngFile(2)] })
      assert.strictEqual((yield* author.profile()).body.headerImageUrl, next.body.publicUrl)
    })
  )
})
