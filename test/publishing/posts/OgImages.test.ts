import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { PostId } from "../../../schemas/platform/Ids.ts"
import { now } from "../../../src/platform/time/now.ts"
import { OgImages } from "../../../src/publishing/posts/OgImages.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"

const first = "https://media.test/first.png"
const second = "https://media.test/second.png"

layer(service(database("test_posts_og_images")))("an OG image placed by an upload", (it) => {
  it.effect("An OG image is saved with a new revision, and a repeat without one", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const { id, updatedAt } = yield* author.draft()
      const images = yield* OgImages
      const postId = PostId.make(id)
      const at = yield* now
      assert.isTrue(yield* images.set({ postId, url: first, at }))
      const { body } = yield* author.read(id)
      assert.deepInclude(body, { ogImage: first, ogImageEffective: first })
      assert.isTrue(body.updatedAt > updatedAt)
      assert.isTrue(yield* images.set({ postId, url: first, at }))
      assert.deepStrictEqual((yield* author.read(id)).body, body)
    })
  )

  it.effect("An OG image replaces only the image that it may replace", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(2)
      const { id } = yield* author.draft({ ogImage: first })
      const images = yield* OgImages
      const postId = PostId.make(id)
      const at = yield* now
      assert.isFalse(yield* images.set({ postId, url: second, replaces: null, at }))
      assert.strictEqual((yield* author.read(id)).body.ogImage, first)
      assert.isTrue(yield* images.set({ postId, url: second, replaces: first, at }))
      assert.isTrue(yield* images.set({ postId, url: second, replaces: first, at }))
      assert.strictEqual((yield* author.read(id)).body.ogImage, second)
    })
  )

  it.effect("An OG image is not saved for a Post that does not exist", () =>
    Effect.gen(function* () {
      const images = yield* OgImages
      const postId = PostId.make("01900000-0000-7000-8000-000000000001")
      assert.isFalse(yield* images.set({ postId, url: first, at: yield* now }))
    })
  )
})
