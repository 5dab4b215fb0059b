import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { feedStatements } from "../../../src/engagement/notifications/feed/feed.sql.ts"
import { readsAfter } from "../../../src/engagement/reads/readStats.sql.ts"
import { searchQueryOf } from "../../../src/publishing/discovery/searchQuery.ts"
import { ownPostStatements } from "../../../src/publishing/posts/ownPosts.sql.ts"
import { BUSY_POSTS, busyAuthor, busyPost, seedBusyAuthor } from "../../support/busyAuthor.ts"
import { database } from "../../support/Database.ts"
import { mostRows, planNodes, rowsRead, wholeTables } from "../../support/plans.ts"

const OTHER_POSTS = 10_000
const NOTIFICATIONS = 20_000
const UNREAD = 200

/** Posts and notifications of others, among which those of one author are few. */
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
          creation_attested, created_at, updated_at)
        select gen_random_uuid(), md5('other' || (1 + n % 500))::uuid, 'draft', 'Other ' || n || ' 喫茶店', '', false, n::text, 'en', true,
          true, at, at
        from generate_series(1, ${OTHER_POSTS}::integer) n, lateral (select timestamptz '2025-01-01Z' + n * interval '1 hour' as at) t`
      yield* sql`
        insert into notifications (id, recipient_id, type, data, created_at, read_at)
        select gen_random_uuid(), case when n % 2 = 0 then ${busyAuthor}::uuid else md5('other' || (1 + n % 500))::uuid end,
          'new_follow', '{}', timestamptz '2026-01-01Z', case when n % 100 > 1 then timestamptz '2026-01-02Z' end
        from generate_series(1, ${NOTIFICATIONS}::integer) n`
    })
  )
  yield* sql`vacuum analyze posts, owners, notifications`.unprepared
})

const seeded = Layer.effectDiscard(seed).pipe(Layer.provideMerge(database("test_desk_plans")))

type Slice = Parameters<Effect.Success<typeof ownPostStatements>["slice"]>[1]

const ALL: Slice = {
  after: undefined,
  limit: 20,
  status: undefined,
  words: undefined,
  reads: readsAfter("2026-01-01")
}

layer(seeded, { timeout: "2 minutes" })("The desk of an author with 1,000 posts", (it) => {
  it.effect(
    "A search reads the posts that it finds, and none of other authors",
    () =>
      Effect.gen(function* () {
        const desk = yield* ownPostStatements
        const searches: ReadonlyArray<readonly [q: string, posts: number]> = [
          ["pennies 17", 1],
          // Others have drafts with these words, and the author has none.
          ["Other 17", 0],
          ["喫茶店", 0],
          ["pennies -post", 0],
          ["nowhere or 18", 1],
          // The last word may be the beginning of a longer one.
          ["17 penn", 1]
        ]
        for (const mode of ["force_generic_plan", "force_custom_plan"] as const)
          for (const [q, posts] of searches)
            for (const status of [undefined, "published"] as const) {
              const read = desk.slice(busyAuthor, { ...ALL, status, words: searchQueryOf(q) })
              assert.lengthOf(
                (yield* read).filter(({ id }) => id !== null),
                posts,
                q
              )
              const nodes = yield* planNodes(mode, read)
              assert.deepStrictEqual(wholeTables(nodes), [], `${q}, ${mode}`)
              assert.strictEqual(rowsRead(nodes, "posts"), posts, `${q}, ${mode}`)
              assert.isAtMost(mostRows(nodes), 1, `${q}, ${mode}`)
            }
      }),
    120_000
  )

  it.effect(
    "Lists read the posts that they show, and nothing reads a whole table",
    () =>
      Effect.gen(function* () {
        const desk = yield* ownPostStatements
        const feed = yield* feedStatements
        for (const mode of ["force_generic_plan", "force_custom_plan"] as const) {
          const lists: ReadonlyArray<readonly [name: string, slice: Slice, posts: number]> = [
            ["the newest", { ...ALL, limit: 5 }, 6],
            ["a page", ALL, 21],
            // And the post after which it begins.
            ["a later page", { ...ALL, after: busyPost(500) }, 22],
            // By one status, PostgreSQL may sort all posts of the author.
            ["published posts", { ...ALL, status: "published" }, BUSY_POSTS],
            ["drafts", { ...ALL, status: "draft" }, BUSY_POSTS]
          ]
          for (const [name, slice, posts] of lists) {
            const nodes = yield* planNodes(mode, desk.slice(busyAuthor, slice))
            assert.deepStrictEqual(wholeTables(nodes), [], `${name}, ${mode}`)
            // A plan for any author expects few posts, and may sort all of them.
            const most = mode === "force_custom_plan" ? posts : BUSY_POSTS
            assert.isAtMost(rowsRead(nodes, "posts"), most, `${name}, ${mode}`)
            // Rows that a filter leaves out are of this author, too.
            assert.isAtMost(mostRows(nodes), BUSY_POSTS, `${name}, ${mode}`)
            assert.isAtMost(rowsRead(nodes, "post_counts"), 21, `${name}, ${mode}`)
          }
          const unread = yield* planNodes(mode, feed.unread(busyAuthor))
          assert.deepStrictEqual(
            wholeTables(unread).filter((table) => table !== "notification_preferences"),
            [],
            mode
          )
          assert.isAtMost(rowsRead(unread, "notifications"), UNREAD, mode)
        }
        assert.strictEqual(yield* feed.unread(busyAuthor), UNREAD)
      }),
    120_000
  )
})
