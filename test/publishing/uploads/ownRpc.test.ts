import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { INLINE_IMAGE_BYTES_MAX, TARGET_IMAGE_BYTES_MAX } from "../../../schemas/publishing/uploads/limits.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { completeDraft, otherService, withKey } from "../../support/actors/otherService.ts"
import { media, uploaderOf, workOff } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { pngOf } from "../image-formats/png/makePng.ts"

const picture = (seed = 1) => pngOf({ width: 8, height: 8, seed })

/** A PNG of this many bytes: what follows its end is padding. */
const padded = (bytes: number) => {
  const file = new Uint8Array(bytes)
  file.set(picture())
  return file
}

const serviceFor = Effect.fnUntraced(function* (number: number) {
  const owner = yield* uploaderOf(number)
  return { owner, client: yield* otherService(), asAuthor: withKey(owner.key) }
})

layer(service(database("test_own_uploads_rpc"), 1, { adminToken: ADMIN_TOKEN }))("uploads over RPC", (it) => {
  it.effect("Images of a Post sent over RPC are public, screened and cancelled as over HTTP", () =>
    Effect.gen(function* () {
      const { asAuthor, client, owner } = yield* serviceFor(1)
      const { post } = yield* asAuthor(client["posts.create"]({ draft: completeDraft }))
      const place = { postId: post.id, revision: post.updatedAt }
      const sent = yield* asAuthor(
        client["uploads.image"]({
          ...place,
          target: { kind: "inline", key: "figure-1" },
          requestKey: "one",
          bytes: picture()
        })
      )
      assert.deepInclude(sent.safety, { targetKind: "inline", targetKey: "figure-1", state: "queued" })
      const shown = yield* media(sent.publicUrl ?? "")
      assert.strictEqual(shown.status, 200)
      assert.strictEqual(shown.headers.get("content-type"), "image/png")
      yield* workOff
      const { operationId } = sent.safety
      const cleared = yield* asAuthor(client["uploads.status"]({ operationId }))
      assert.strictEqual(cleared.safety.state, "cleared")
      assert.deepEqual((yield* owner.operations(`?postId=${post.id}`)).body.operations, [cleared])
      assert.deepStrictEqual(yield* asAuthor(client["uploads.list"]({ postId: post.id })), [cleared])

      const og = yield* asAuthor(
        client["uploads.image"]({ ...place, target: { kind: "og" }, requestKey: "two", bytes: picture(2) })
      )
      assert.strictEqual(og.safety.associated, true)
      const again = yield* asAuthor(client["uploads.associate"]({ operationId: og.safety.operationId }))
      assert.strictEqual(again.safety.associated, true)
      const cancelled = yield* asAuthor(client["uploads.cancel"]({ operationId }))
      assert.strictEqual(cancelled.safety.state, "cancelled")
      assert.strictEqual((yield* media(sent.publicUrl ?? "")).status, 404)
    })
  )

  it.effect("An avatar and a header image are sent over RPC, and the header is removed", () =>
    Effect.gen(function* () {
      const { asAuthor, client } = yield* serviceFor(2)
      const avatar = yield* asAuthor(client["uploads.avatar"]({ requestKey: "avatar", bytes: picture() }))
      const header = yield* asAuthor(client["uploads.header"]({ requestKey: "header", bytes: picture() }))
      const profile = yield* asAuthor(client["profile.read"]())
      assert.strictEqual(profile.avatarUrl, avatar.publicUrl)
      assert.strictEqual(profile.headerImageUrl, header.publicUrl)
      yield* asAuthor(client["uploads.removeHeader"]())
      assert.isNull((yield* asAuthor(client["profile.read"]())).headerImageUrl)
    })
  )

  it.effect("A repeat with the same key and bytes is one operation, and other bytes are a conflict", () =>
    Effect.gen(function* () {
      const { asAuthor, client, owner } = yield* serviceFor(3)
      const send = (bytes: Uint8Array) => asAuthor(client["uploads.avatar"]({ requestKey: "same", bytes }))
      const first = yield* send(picture())
      const { replayed, safety } = yield* send(picture())
      assert.strictEqual(replayed, true)
      assert.strictEqual(safety.operationId, first.safety.operationId)
      assert.strictEqual((yield* Effect.flip(send(picture(2))))._tag, "UploadConflict")
      // The saved names find the operation, over RPC and over HTTP.
      const { targetId } = first.safety
      const saved = { requestKey: "same", targetKind: "avatar" as const, targetId }
      const found = yield* asAuthor(client["uploads.list"](saved))
      assert.deepStrictEqual(
        found.map((it) => it.safety.operationId),
        [safety.operationId]
      )
      const query = new URLSearchParams(saved)
      assert.deepEqual((yield* owner.operations(`?${query}`)).body.operations, found)
    })
  )

  it.effect("Operations of another owner are not found or changed", () =>
    Effect.gen(function* () {
      const one = yield* serviceFor(4)
      const { post } = yield* one.asAuthor(one.client["posts.create"]({ draft: completeDraft }))
      const avatar = yield* one.asAuthor(one.client["uploads.avatar"]({ requestKey: "a", bytes: picture() }))
      const { asAuthor, client } = yield* serviceFor(5)
      const { operationId } = avatar.safety
      const unknown = UploadOperationId.make("00000000-0000-7000-8000-000000000000")
      const image = { postId: post.id, revision: post.updatedAt, requestKey: "b", bytes: picture() }
      for (const refused of [
        Effect.flip(asAuthor(client["uploads.image"]({ ...image, target: { kind: "og" } }))),
        Effect.flip(asAuthor(client["uploads.image"]({ ...image, target: { kind: "inline", key: "k" } }))),
        Effect.flip(asAuthor(client["uploads.list"]({ postId: post.id }))),
        Effect.flip(asAuthor(client["uploads.status"]({ operationId }))),
        Effect.flip(asAuthor(client["uploads.status"]({ operationId: unknown }))),
        Effect.flip(asAuthor(client["uploads.cancel"]({ operationId }))),
        Effect.flip(asAuthor(client["uploads.associate"]({ operationId })))
      ]) {
        assert.strictEqual((yield* refused)._tag, "NotFound")
      }
      assert.strictEqual((yield* media(avatar.publicUrl ?? "")).status, 200)
      assert.deepStrictEqual(yield* asAuthor(client["uploads.list"]({})), [])
    })
  )

  it.effect("A file that is not an image, a stale revision and half a saved request fail by class", () =>
    Effect.gen(function* () {
      const { asAuthor, client } = yield* serviceFor(6)
      const text = new TextEncoder().encode("not an image at all")
      for (const [bytes, code] of [
        [text, "unsupported_type"],
        [new Uint8Array(), "invalid"]
      ] as const) {
        const refused = yield* Effect.flip(asAuthor(client["uploads.avatar"]({ requestKey: "a", bytes })))
        assert(refused._tag === "Validation")
        assert.deepInclude(refused.errors[0], { field: "file", code })
      }
      const { post } = yield* asAuthor(client["posts.create"]({ draft: completeDraft }))
      const old = { postId: post.id, target: { kind: "og" as const }, bytes: picture() }
      yield* asAuthor(client["uploads.image"]({ ...old, revision: post.updatedAt, requestKey: "b" }))
      const stale = yield* Effect.flip(
        asAuthor(client["uploads.image"]({ ...old, revision: post.createdAt, requestKey: "c" }))
      )
      assert.strictEqual(stale._tag, "RevisionConflict")
      const half = yield* Effect.flip(asAuthor(client["uploads.list"]({ requestKey: "a" })))
      assert.strictEqual(half._tag, "Validation")
    })
  )

  it.effect("An image is received up to the limit of its kind, and one byte more is refused", () =>
    Effect.gen(function* () {
      const { asAuthor, client } = yield* serviceFor(7)
      const { post } = yield* asAuthor(client["posts.create"]({ draft: completeDraft }))
      const place = {
        postId: post.id,
        revision: post.updatedAt,
        target: { kind: "inline" as const, key: "a" }
      }
      const codeOf = <A, E extends { readonly _tag: string }, R>(call: Effect.Effect<A, E, R>) =>
        Effect.match(asAuthor(call), { onSuccess: () => "received", onFailure: ({ _tag }) => _tag })
      const sent = [
        yield* codeOf(
          client["uploads.image"]({ ...place, requestKey: "a", bytes: padded(INLINE_IMAGE_BYTES_MAX) })
        ),
        yield* codeOf(
          client["uploads.image"]({ ...place, requestKey: "b", bytes: padded(INLINE_IMAGE_BYTES_MAX + 1) })
        ),
        yield* codeOf(client["uploads.avatar"]({ requestKey: "c", bytes: padded(TARGET_IMAGE_BYTES_MAX) })),
        yield* codeOf(
          client["uploads.avatar"]({ requestKey: "d", bytes: padded(TARGET_IMAGE_BYTES_MAX + 1) })
        ),
        // So much is refused before it is read.
        yield* codeOf(client["uploads.avatar"]({ requestKey: "e", bytes: new Uint8Array(6_500_000) }))
      ]
      assert.deepStrictEqual(sent, [
        "received",
        "PayloadTooLarge",
        "received",
        "PayloadTooLarge",
        "PayloadTooLarge"
      ])
    })
  )

  it.effect("A held operation is answered with its receipt", () =>
    Effect.gen(function* () {
      const { asAuthor, client } = yield* serviceFor(8)
      const { safety } = yield* asAuthor(client["uploads.avatar"]({ requestKey: "a", bytes: picture() }))
      const { operationId } = safety
      yield* (yield* administrator())["uploads.hold"]({ operationId })
      assert.strictEqual((yield* asAuthor(client["uploads.status"]({ operationId }))).safety.held, true)
    })
  )
})
