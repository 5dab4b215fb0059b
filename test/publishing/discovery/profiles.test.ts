import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

const get = Effect.fnUntraced(function* (path: string) {
  return yield* (yield* TestClient).send("GET", path)
})

layer(service(database("test_discovery_profiles")))("public Profiles and categories (4.5)", (it) => {
  it.effect("A Profile is read by its handle in any case, in snake_case", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
      const client = yield* TestClient
      const author = yield* authorOf(1)
      const post = yield* author.published()
      yield* author.draft()
      const links = [{ label: "X", url: "https://x.test/a" }]
      yield* client.send("PATCH", "/api/v1/profile", {
        token: author.key,
        body: {
          bio: "Bio",
          location: "Here",
          handle: "Author_One",
          pinnedPostId: post.id,
          socialLinks: links,
          tipping: { buttonLabel: "Thanks", amounts: [0.001, 0.000001 + 0.002, 9] }
        }
      })
      const expected = {
        name: "Author 1",
        handle: "Author_One",
        bio: "Bio",
        location: "Here",
        social_links: links,
        avatar_url: null,
        header_image_url: null,
        author_kind: "human",
        tipping: { button_label: "Thanks", amounts: [0.001, 0.002001, 9] },
        pinned_post_id: post.id,
        created_at: "2026-11-21T05:00:00.000000Z"
      }
      for (const handle of ["Author_One", "author_one", "AUTHOR_ONE"]) {
        const { body } = yield* get(`/api/profile/${handle}`)
        assert.deepStrictEqual(body, { id: body.id, ...expected })
        const summary = yield* get(`/api/profile/${handle}/summary`)
        assert.deepStrictEqual(summary.body, { ...body, counts: { posts: 1, followers: 0, following: 0 } })
        const posts = yield* get(`/api/profile/${handle}/posts`)
        assert.deepInclude(posts.body, { total: 1, page: 1, per_page: 20 })
        assert.strictEqual(posts.body.data[0].url, `https://press.test/@Author_One/${post.slug}`)
      }
    })
  )

  it.effect("An unknown or impossible handle is 404", () =>
    Effect.gen(function* () {
      for (const handle of [
        "nobody",
        "author9",
        "a b",
        "%00",
        "%F0%9F%98%80",
        "x".repeat(31),
        "@Author_One"
      ]) {
        for (const path of ["", "/summary", "/posts"]) {
          const { status } = yield* get(`/api/profile/${handle}${path}`)
          assert.strictEqual(status, 404, handle + path)
        }
      }
      assert.deepStrictEqual(refusalOf(yield* get("/api/profile/nobody")), [404, "not_found"])
    })
  )

  it.effect("The route handle-availability says whether an account could choose the handle", () =>
    Effect.gen(function* () {
      yield* authorOf(2)
      const handles: Readonly<Record<string, boolean>> = {
        free_one: true,
        " free_two ": true,
        author2: false,
        AUTHOR2: false,
        admin: false,
        user_x1: false,
        abc: false,
        "not a handle": false,
        "": false,
        "@free_one": false
      }
      for (const [handle, available] of Object.entries(handles)) {
        const { body } = yield* get(`/api/profile/handle-availability?handle=${encodeURIComponent(handle)}`)
        assert.deepStrictEqual(body, { available }, handle)
      }
      const missing = yield* get("/api/profile/handle-availability")
      assert.deepStrictEqual(refusalOf(missing), [422, "validation", "handle required"])
      const long = yield* get(`/api/profile/handle-availability?handle=${"h".repeat(201)}`)
      assert.deepStrictEqual(refusalOf(long), [422, "validation", "handle too_long"])
    })
  )

  it.effect("The 30 categories have ids 1 to 30, and counts of their published Posts", () =>
    Effect.gen(function* () {
      const { body } = yield* get("/api/categories")
      assert.deepStrictEqual(
        body.data.map((it: any) => it.id),
        Array.from({ length: 30 }, (_, n) => n + 1)
      )
      assert.strictEqual(new Set(body.data.map((it: any) => it.slug)).size, 30)
      for (const category of body.data) {
        assert.deepStrictEqual(Object.keys(category), ["id", "name", "slug"])
        assert.match(category.slug, /^[a-z0-9]+(-[a-z0-9]+)*$/)
      }
      const author = yield* authorOf(3)
      yield* author.published({ primaryCategoryId: 30, secondaryCategoryId: 29 })
      yield* author.draft({ primaryCategoryId: 30 })
      const browse = yield* get("/api/browse/categories")
      const counted = (id: number) => (id === 3 || id >= 29 ? 1 : 0)
      assert.deepStrictEqual(
        browse.body.data.map((it: any) => [it.id, it.name, it.slug, it.postCount]),
        body.data.map((it: any) => [it.id, it.name, it.slug, counted(it.id)])
      )
    })
  )
})
