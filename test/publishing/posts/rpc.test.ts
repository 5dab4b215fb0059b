import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { PostId } from "../../../schemas/platform/Ids.ts"
import type { PostDraft } from "../../../schemas/publishing/posts/PostDraft.ts"
import { ADMIN_TOKEN } from "../../support/actors/administrator.ts"
import { authorOf } from "../../support/actors/author.ts"
import { completeDraft, otherService, withKey } from "../../support/actors/otherService.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"

/** Signs in an author, and makes calls as another service for them. */
const serviceFor = Effect.fnUntraced(function* (number: number) {
  const author = yield* authorOf(number)
  const client = yield* otherService()
  const asAuthor = withKey(author.key)
  return {
    author,
    client,
    asAuthor,
    create: (draft: typeof PostDraft.Encoded, idempotencyKey?: string) =>
      asAuthor(client["posts.create"]({ draft, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) }))
  }
})

layer(service(database("test_posts_rpc"), 1, { adminToken: ADMIN_TOKEN }))("posts over RPC", (it) => {
  it.effect("Procedures create, read, list, change, publish and remove as the HTTP operations do", () =>
    Effect.gen(function* () {
      const { asAuthor, author, client, create } = yield* serviceFor(1)
      const { post, replayed } = yield* create(completeDraft)
      assert.strictEqual(replayed, false)
      const { id: postId } = post
      assert.deepStrictEqual(yield* asAuthor(client["posts.read"]({ postId })), post)
      // The value is what the HTTP operation encodes.
      assert.deepEqual((yield* author.read(postId)).body, post)
      const listed = yield* asAuthor(client["posts.list"]({ status: "draft", page: 1, per_page: 1 }))
      assert.deepStrictEqual(listed, { data: [post], total: 1, page: 1, perPage: 1 })

      yield* TestClock.adjust(1)
      const changed = yield* asAuthor(
        client["posts.update"]({ postId, patch: { title: "On farthings" }, revision: post.updatedAt })
      )
      assert.strictEqual(changed.title, "On farthings")
      const published = yield* asAuthor(client["posts.publish"]({ postId, idempotencyKey: "now" }))
      assert.deepInclude(published.value, { status: "published", stateChanged: true, slug: changed.slug })
      const unpublished = yield* asAuthor(client["posts.unpublish"]({ postId }))
      assert.deepInclude(unpublished.value, { status: "draft", stateChanged: true, url: null })
      assert.isUndefined(yield* asAuthor(client["posts.remove"]({ postId })))
      assert.strictEqual((yield* author.read(postId)).status, 404)
    })
  )

  it.effect("A key creates one Post, and names the same Post over HTTP", () =>
    Effect.gen(function* () {
      const { asAuthor, author, client, create } = yield* serviceFor(2)
      const { post } = yield* create(completeDraft, "first")
      assert.deepStrictEqual(yield* create(completeDraft, "first"), { post, replayed: true })
      const overHttp = yield* author.create(completeDraft, { "idempotency-key": "first" })
      assert.strictEqual(overHttp.body.id, post.id)
      assert.strictEqual(overHttp.headers.get("x-idempotency-replay"), "true")
      const other = yield* create({ ...completeDraft, title: "Other" }, "first").pipe(
        Effect.as("created"),
        Effect.catchTag("IdempotencyMismatch", () => Effect.succeed("mismatch"))
      )
      assert.strictEqual(other, "mismatch")
      assert.strictEqual((yield* asAuthor(client["posts.list"]({}))).total, 1)

      const publish = asAuthor(client["posts.publish"]({ postId: post.id, idempotencyKey: "now" }))
      const { value } = yield* publish
      assert.deepStrictEqual(yield* publish, { value, replayed: true })
      yield* asAuthor(client["posts.unpublish"]({ postId: post.id }))
      assert.strictEqual((yield* Effect.flip(publish))._tag, "IdempotencyKeySpent")
      yield* asAuthor(client["posts.remove"]({ postId: post.id }))
      assert.strictEqual((yield* Effect.flip(create(completeDraft, "first")))._tag, "ResourceGone")
    })
  )

  it.effect("A procedure fails with the class and the members of each error", () =>
    Effect.gen(function* () {
      const { asAuthor, client, create } = yield* serviceFor(3)
      const empty = yield* Effect.flip(create({ title: "Nothing" }))
      assert(empty._tag === "Validation")
      assert.deepInclude(empty.errors[0], { field: "freeContentMarkdown", code: "required" })

      const { post } = yield* create({ freeContentMarkdown: "Text", slug: "pennies" })
      const { id: postId } = post
      const taken = yield* Effect.flip(create({ freeContentMarkdown: "Text", slug: "pennies" }))
      assert.strictEqual(taken._tag, "SlugTaken")
      const incomplete = yield* Effect.flip(
        asAuthor(client["posts.publish"]({ postId, idempotencyKey: "too-early" }))
      )
      assert(incomplete._tag === "PublicationIncomplete")
      const fields = (incomplete.errors ?? []).map(({ field }) => field)
      assert.include(fields, "title")
      yield* TestClock.adjust(1)
      const patch = { title: "On pennies" }
      yield* asAuthor(client["posts.update"]({ postId, patch }))
      const stale = yield* Effect.flip(
        asAuthor(client["posts.update"]({ postId, patch, revision: post.updatedAt }))
      )
      assert.strictEqual(stale._tag, "RevisionConflict")
    })
  )

  it.effect("Every wrong member of a draft and of a patch is named, as over HTTP", () =>
    Effect.gen(function* () {
      const { asAuthor, author, client, create } = yield* serviceFor(6)
      const wrong: object = {
        freeContentMarkdown: "Text",
        title: "x".repeat(2000),
        primaryCategoryId: 0,
        commentsEnabled: "yes",
        titel: "Misspelt"
      }
      const overHttp = yield* author.create(wrong)
      const created = yield* Effect.flip(create(wrong as typeof PostDraft.Encoded))
      assert(created._tag === "Validation")
      assert.lengthOf(created.errors, 4)
      assert.deepEqual(created.errors, overHttp.body.errors)
      const { post } = yield* create({ ...completeDraft, title: "  On pennies  " })
      assert.strictEqual(post.title, "On pennies")
      for (const patch of [{ slug: "No slug" }, {}]) {
        const { errors } = (yield* author.patch(post.id, patch)).body
        const refused = yield* Effect.flip(asAuthor(client["posts.update"]({ postId: post.id, patch })))
        assert(refused._tag === "Validation")
        assert.deepEqual(refused.errors, errors)
      }
    })
  )

  it.effect("Another owner's Post is not found by any procedure", () =>
    Effect.gen(function* () {
      const { create } = yield* serviceFor(4)
      const { post } = yield* create(completeDraft)
      const { asAuthor, client } = yield* serviceFor(5)
      const unknown = PostId.make("00000000-0000-7000-8000-000000000000")
      for (const postId of [post.id, unknown]) {
        for (const refused of [
          Effect.flip(asAuthor(client["posts.read"]({ postId }))),
          Effect.flip(asAuthor(client["posts.update"]({ postId, patch: { title: "Mine" } }))),
          Effect.flip(asAuthor(client["posts.publish"]({ postId, idempotencyKey: "mine" }))),
          Effect.flip(asAuthor(client["posts.unpublish"]({ postId }))),
          Effect.flip(asAuthor(client["posts.remove"]({ postId })))
        ]) {
          assert.strictEqual((yield* refused)._tag, "NotFound")
        }
      }
      assert.strictEqual((yield* asAuthor(client["posts.list"]({}))).total, 0)
    })
  )
})
