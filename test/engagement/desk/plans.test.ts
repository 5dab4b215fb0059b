import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { PostSort } from "../../../src/engagement/desk/PostChoice.ts"
import { postTableStatements } from "../../../src/engagement/desk/postTable.sql.ts"
import { searchQueryOf } from "../../../src/publishing/discovery/searchQuery.ts"
import { busyAuthor, busyPost, seedBusyAuthor } from "../../support/busyAuthor.ts"
import { database } from "../../support/Database.ts"
import { mostRows, planNodes, rowsRead, wholeTables } from "../../support/plans.ts"

/** Posts of the author beyond those that sell, and posts of others. */
const MORE_POSTS = 9_000
const OTHER_POSTS = 10_000
const ALL_POSTS = 1_000 + MORE_POSTS

/** An author with 10,000 posts and many payments, whose posts are all read, among posts of others. */
const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* seedBusyAuthor
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`set local session_replication_role = replica`
      yield* sql`
        insert into owners (id, kind, name, handle, created_at)
        select md5('other' || n)::uuid, 'guest', 'Other ' || n, 'other_' || n, timestamptz 'epoch'
        from generate_series(1, 500) n`
      yield* sql`
        insert into posts (id, owner_id, status, title, description, enable_paywall, slug, language, comments_enabled,
          creation_attested, created_at, updated_at, published_at)
        select md5('post' || n)::uuid,
          case when n <= ${MORE_POSTS} then ${busyAuthor}::uuid else md5('other' || (1 + n % 500))::uuid end,
          case when n % 10 = 0 then 'draft' else 'published' end, 'Other ' || n || ' 喫茶店', '', false, 'more-' || n,
          'en', true, true, at, at, case when n % 10 > 0 then at end
        from generate_series(1, ${MORE_POSTS + OTHER_POSTS}::integer) n,
          lateral (select timestamptz '2025-03-01Z' + n * interval '1 hour' as at) t`
      yield* sql`
        insert into post_read_totals (post_id, owner_id, reads, walls)
        select id, owner_id, hashtext(id::text) & 1023, hashtext(id::text) & 255 from posts on conflict do nothing`
      yield* sql`
        insert into post_counts (post_id, comments) select id, hashtext(id::text) & 15 from posts
        on conflict (post_id) do update set comments = excluded.comments`
    })
  )
  yield* sql`vacuum analyze posts, owners, post_read_totals, post_counts, post_earnings`.unprepared
})

const seeded = Layer.effectDiscard(seed).pipe(Layer.provideMerge(database("test_post_table_plans")))

type Slice = Parameters<Effect.Success<typeof postTableStatements>["slice"]>[1]

const LIMIT = 51
const ALL: Slice = { after: undefined, limit: LIMIT, sort: undefined, filter: undefined, words: undefined }

layer(seeded, { timeout: "2 minutes" })("The table of an author with 10,000 posts", (it) => {
  it.effect(
    "A search reads the posts that it finds, and none of other authors",
    () =>
      Effect.gen(function* () {
        const table = yield* postTableStatements
        const searches: ReadonlyArray<readonly [q: string, posts: number]> = [
          ["pennies 17", 1],
          // Others have drafts with these words, and the author has none.
          ["Other 9100", 0],
          ["喫茶店 17", 1],
          ["pennies -post", 0],
          ["nowhere or 777", 2],
          // The last word may be the beginning of a longer one.
          ["17 penn", 1]
        ]
        for (const mode of ["force_generic_plan", "force_custom_plan"] as const)
          for (const [q, posts] of searches)
            for (const sort of [undefined, "reads", "title"] as const) {
              const read = table.slice(busyAuthor, { ...ALL, sort, words: searchQueryOf(q) })
              assert.lengthOf(yield* read, posts, q)
              const nodes = yield* planNodes(mode, read)
              assert.deepStrictEqual(wholeTables(nodes), [], `${q}, ${mode}`)
              // Those that it finds, and each of them once more for its columns.
              assert.strictEqual(rowsRead(nodes, "posts"), 2 * posts, `${q}, ${mode}`)
            }
      }),
    120_000
  )

  it.effect(
    "The newest posts are read by an index, and an order by a number reads those of the author once",
    () =>
      Effect.gen(function* () {
        const table = yield* postTableStatements
        const later = busyPost(500)
        for (const mode of ["force_generic_plan", "force_custom_plan"] as const) {
          for (const [name, slice, posts] of [
            ["the newest", ALL, LIMIT],
            ["a later page", { ...ALL, after: later }, LIMIT + 1],
            // By a filter, PostgreSQL may sort all posts of the author.
            ["drafts", { ...ALL, filter: "draft" }, ALL_POSTS]
          ] as ReadonlyArray<readonly [string, Slice, number]>) {
            const nodes = yield* planNodes(mode, table.slice(busyAuthor, slice))
            assert.deepStrictEqual(wholeTables(nodes), [], `${name}, ${mode}`)
            // A plan for any author expects few posts, and may sort all of them.
            const most = mode === "force_custom_plan" ? posts : ALL_POSTS
            // PostgreSQL 15 reads one more before it knows that it has enough.
            assert.isAtMost(rowsRead(nodes, "posts"), most + LIMIT + 1, `${name}, ${mode}`)
            assert.isAtMost(rowsRead(nodes, "post_read_totals"), LIMIT, `${name}, ${mode}`)
            assert.isAtMost(rowsRead(nodes, "post_counts"), LIMIT, `${name}, ${mode}`)
          }
          for (const sort of [
            "title",
            "price",
            "reads",
            "walls",
            "sales",
            "income",
            "comments",
            "published"
          ] as ReadonlyArray<PostSort>)
            for (const after of [undefined, later]) {
              const nodes = yield* planNodes(mode, table.slice(busyAuthor, { ...ALL, sort, after }))
              const name = `${sort}, ${mode}`
              assert.isAtMost(rowsRead(nodes, "posts"), ALL_POSTS + LIMIT, name)
              assert.isAtMost(rowsRead(nodes, "post_read_totals"), ALL_POSTS + LIMIT, name)
              assert.isAtMost(mostRows(nodes), 20_000, name)
            }
        }
      }),
    120_000
  )
})
