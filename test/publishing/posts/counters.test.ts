import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Author, authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { wrongCounts } from "../../support/wrongCounts.ts"

interface ModelPost {
  readonly author: Author
  readonly id: string
  readonly isPublic: boolean
  readonly primary: number
  readonly secondary: number | null
}

/** Makes pseudo-random numbers that are the same in every run. */
const chance = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Reads the counters over the wire, as [category, count] and [handle, count]. */
const counted = Effect.fnUntraced(function* (authors: ReadonlyArray<Author>) {
  const client = yield* TestClient
  const { body } = yield* client.send("GET", "/api/browse/categories")
  const categories: ReadonlyArray<readonly [number, number]> = body.data.map((it: any) => [
    it.id,
    it.postCount
  ])
  const owners: Array<readonly [string, number]> = []
  for (const { handle } of authors) {
    const summary = yield* client.send("GET", `/api/profile/${handle}/summary`)
    owners.push([handle, summary.body.counts.posts])
  }
  const { body: all } = yield* client.send("GET", "/api/posts?per_page=1")
  return { categories, owners, total: all.total as number }
})

const expected = (authors: ReadonlyArray<Author>, posts: ReadonlyArray<ModelPost>) => {
  const published = posts.filter((post) => post.isPublic)
  return {
    categories: Array.from({ length: 30 }, (_, n) => [
      n + 1,
      published.filter((post) => post.primary === n + 1 || post.secondary === n + 1).length
    ]),
    owners: authors.map(({ handle }) => [
      handle,
      published.filter((post) => post.author.handle === handle).length
    ]),
    total: published.length
  }
}

layer(service(database("test_posts_counters")))("counters", (it) => {
  it.effect("Counters equal a recount after any creations, edits, publications and deletions", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const authors = [yield* authorOf(1), yield* authorOf(2), yield* authorOf(3)]
      const below = chance(7)
      // Few categories, so that a primary and a secondary one often swap.
      const categories = () => {
        const primary = 1 + below(3)
        const secondary = below(2) === 0 ? null : 1 + ((primary + below(2)) % 3)
        return { primary, secondary }
      }
      const posts: Array<ModelPost> = []

      for (let step = 0; step < 300; step++) {
        const at = below(posts.length + 1)
        const post = posts[at]
        const { primary, secondary } = categories()
        const body = { primaryCategoryId: primary, secondaryCategoryId: secondary }
        const author = authors[below(authors.length)]!
        if (post === undefined || posts.length < 5) {
          const { id } = yield* author.draft({ title: `Post ${below(9)}`, ...body })
          posts.push({ author, id, isPublic: false, primary, secondary })
          continue
        }
        const become = (change: Partial<ModelPost>) => {
          posts[at] = { ...post, ...change }
        }
        switch (below(6)) {
          case 0: {
            const { status } = yield* post.author.remove(post.id)
            assert.strictEqual(status, post.isPublic ? 409 : 204)
            if (!post.isPublic) posts.splice(at, 1)
            break
          }
          case 1: {
            const { body } = yield* post.author.unpublish(post.id)
            assert.strictEqual(body.stateChanged, post.isPublic)
            become({ isPublic: false })
            break
          }
          case 2:
          case 3: {
            const { body } = yield* post.author.publish(post.id, `step-${step}`)
            assert.strictEqual(body.stateChanged, !post.isPublic)
            become({ isPublic: true })
            break
          }
          case 4: {
            const { status } = yield* post.author.patch(post.id, { title: `Post ${below(9)}` })
            assert.strictEqual(status, 200)
            break
          }
          default: {
            const { status } = yield* post.author.patch(post.id, body)
            assert.strictEqual(status, 200)
            become({ primary, secondary })
          }
        }
        if (step % 20 === 19)
          assert.deepStrictEqual<unknown>(yield* counted(authors), expected(authors, posts), `step ${step}`)
      }

      assert.deepStrictEqual(yield* wrongCounts(sql), [])
    })
  )

  it.effect("Posts for sale are counted while they are public and have a paywall", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const author = yield* authorOf(6)
      const { id } = yield* author.draft({
        enablePaywall: true,
        paidContentMarkdown: "secret",
        priceXno: "1"
      })
      const forSale = Effect.map(
        sql<{ readonly n: number }>`select sum(for_sale)::integer as n from published_post_counts`,
        ([row]) => row?.n
      )
      assert.strictEqual(yield* forSale, 0)
      const steps = [
        [author.publish(id), 1],
        [author.patch(id, { title: "Other" }), 1],
        [author.patch(id, { enablePaywall: false }), 0],
        [author.patch(id, { enablePaywall: true, priceXno: "2" }), 1],
        [author.unpublish(id), 0]
      ] as const
      for (const [step, expected] of steps) {
        const { status, text } = yield* step
        assert.strictEqual(status, 200, text)
        assert.strictEqual(yield* forSale, expected)
        assert.deepStrictEqual(yield* wrongCounts(sql), [])
      }
    })
  )

  it.effect("A category that was added later counts its Posts", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into categories (id, name, slug) values (33, 'New', 'new')`
      const author = yield* authorOf(5)
      yield* author.published({ primaryCategoryId: 33 })
      const { categories } = yield* counted([])
      assert.deepStrictEqual(categories.at(-1), [33, 1])
    })
  )
})
