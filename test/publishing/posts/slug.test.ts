import { assert, describe, it as unit, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { PostId } from "../../../schemas/platform/Ids.ts"
import { slugBaseOf } from "../../../src/publishing/posts/slug.ts"
import { type Author, authorOf, refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"

const slugOf = (author: Author, title: string) =>
  Effect.map(author.draft({ title }), (post) => post.slug as string)

layer(service(database("test_posts_slug")))("slugs of Posts (4.3)", (it) => {
  it.effect("A slug is made from the title, and made unique with a number", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      assert.strictEqual(yield* slugOf(author, "On Pennies!"), "on-pennies")
      assert.strictEqual(yield* slugOf(author, "on pennies"), "on-pennies-2")
      assert.strictEqual(yield* slugOf(author, "On  pennies?"), "on-pennies-3")
      const other = yield* authorOf(2)
      assert.strictEqual(yield* slugOf(other, "On Pennies!"), "on-pennies")
    })
  )

  it.effect("A number that a title or a chosen slug uses is skipped", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(3)
      assert.strictEqual(yield* slugOf(author, "Part 2"), "part-2")
      yield* author.draft({ slug: "part" })
      yield* author.draft({ slug: "part-3" })
      assert.strictEqual(yield* slugOf(author, "Part"), "part-4")
      assert.strictEqual(yield* slugOf(author, "Part"), "part-5")
    })
  )

  it.effect("A slug of at most 120 characters is found although many numbers are taken", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(4)
      const title = "x".repeat(150)
      const first = yield* slugOf(author, title)
      for (let number = 2; number < 20; number++) yield* author.draft({ slug: `${first}-${number}` })
      const crowded = yield* author.draft({ title })
      assert.isTrue(crowded.slug.startsWith(`${first}-`))
      assert.isAtMost(crowded.slug.length, 120)
      const patched = yield* author.patch(crowded.id, { slug: crowded.slug })
      assert.strictEqual(patched.status, 200, "a slug that the service makes is one that it takes")
    })
  )

  it.effect("A chosen slug that is taken is 409 with errors", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(5)
      yield* author.draft({ title: "Generated" })
      const { id } = yield* author.draft({ slug: "chosen" })
      const taken = [409, "slug-taken", "slug taken"]
      for (const slug of ["chosen", "generated"]) {
        assert.deepStrictEqual(refusalOf(yield* author.create({ freeContentMarkdown: "x", slug })), taken)
      }
      assert.deepStrictEqual(refusalOf(yield* author.patch(id, { slug: "generated" })), taken)
      assert.strictEqual((yield* author.patch(id, { slug: "chosen" })).status, 200)
      const both = yield* author.create({ freeContentMarkdown: "x", slug: "chosen", primaryCategoryId: 99 })
      assert.deepStrictEqual(refusalOf(both), [422, "validation", "primaryCategoryId invalid"])
    })
  )

  it.effect("A title in another script also has a slug", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(6)
      assert.strictEqual(yield* slugOf(author, "Müßiggang"), "muessiggang")
      assert.strictEqual(yield* slugOf(author, "Привет мир"), "privet-mir")
      for (const title of ["日本語", "北京的秋天", "สวัสดี", "🪙"]) {
        const { id, slug } = yield* author.draft({ title })
        assert.strictEqual(slug, `post-${id.slice(-8)}`, title)
      }
      assert.strictEqual(yield* slugOf(author, ""), "post")
      assert.strictEqual(yield* slugOf(author, "Post"), "post-2")
    })
  )

  it.effect("A title given later to a draft without one gives it its slug, once", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(7)
      const { body: draft } = yield* author.create({ freeContentMarkdown: "x" })
      assert.strictEqual(draft.slug, "post")
      const patch = (body: object) =>
        Effect.map(author.patch(draft.id, body), (answer) => answer.body.slug as string)
      assert.strictEqual(yield* patch({ title: "題" }), "post", "a title without letters changes nothing")
      const other = yield* author.draft({ title: "題" })
      assert.strictEqual((yield* author.patch(other.id, { title: "Now in Latin" })).body.slug, "now-in-latin")
      assert.strictEqual(yield* patch({ description: "d" }), "post")
      assert.strictEqual(yield* patch({ title: "First title" }), "first-title")
      assert.strictEqual(yield* patch({ title: "Second title" }), "first-title")
      assert.strictEqual(yield* patch({ slug: "by-hand" }), "by-hand")
      assert.strictEqual(yield* patch({ title: "Third" }), "by-hand")
    })
  )

  it.effect("A published Post keeps its slug, under any later title", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(9)
      const { id, slug } = yield* author.published({ title: "日本語" })
      assert.strictEqual((yield* author.patch(id, { title: "In Latin" })).body.slug, slug)
    })
  )

  it.effect("A slug is free again after its Post was deleted", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(8)
      const { id } = yield* author.draft({ slug: "again" })
      yield* author.remove(id)
      assert.strictEqual((yield* author.draft({ slug: "again" })).slug, "again")
    })
  )
})

const ID = PostId.make("01932f00-0000-7000-8000-0123456789ab")

describe("the slug of any title", () => {
  unit("Names keep their words in one piece", () => {
    const slugs: ReadonlyArray<readonly [title: string, slug: string]> = [
      ["JavaScript and GitHub on iPhone", "javascript-and-github-on-iphone"],
      ["PostgreSQL 17", "postgresql-17"],
      ["Ｐｅｎｎｉｅｓ １２", "pennies-12"],
      ["The ﬁrst eﬀort of Ångström", "the-first-effort-of-angstroem"],
      ["u\u0308ber Mu\u0308ßiggang", "ueber-muessiggang"],
      ["№ 5", "no-5"],
      ["x² + y³", "x2-y3"],
      ["東京 2024", "2024"]
    ]
    for (const [title, slug] of slugs) assert.strictEqual(slugBaseOf(title, ID), slug, title)
  })

  unit("The base of a slug has the form of a slug, with room for a number", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (title) => {
        const base = slugBaseOf(title, ID)
        assert.match(base, /^[a-z0-9]+(-[a-z0-9]+)*$/)
        assert.isAtMost(base.length, 107)
      })
    )
    assert.strictEqual(slugBaseOf(" \n", ID), "post")
    assert.strictEqual(slugBaseOf("\u0000", ID), "post-456789ab")
    assert.isAtMost(slugBaseOf("\ufdfa".repeat(500), ID).length, 107)
  })
})
