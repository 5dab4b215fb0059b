import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { giftPostStatements } from "../../../src/payments/gifts/giftPosts.sql.ts"
import { insertOwner } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { planNodes, rowsRead, wholeTables } from "../../support/plans.ts"

const POSTS = 3_000
const GIFTS = 10_000
const LIMIT = 20

const idOf = (n: number) => PostId.make(`00000000-0000-4000-8100-${String(n).padStart(12, "0")}`)

/** Two authors: one whose Posts are for sale, and one whose Posts are free and were never given. */
const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const seller = OwnerId.make(yield* insertOwner(1, { handle: "seller" }))
  const free = OwnerId.make(yield* insertOwner(2, { handle: "free_author" }))
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`set local session_replication_role = replica`
      yield* sql`
        insert into posts (id, owner_id, status, title, description, free_content_markdown, enable_paywall, price_raw,
          primary_category_id, slug, language, comments_enabled, creation_method, creation_attested, created_at, updated_at,
          published_at)
        select ('00000000-0000-4000-8100-' || lpad(n::text, 12, '0'))::uuid, case when n % 2 = 0 then ${seller}::uuid else ${free}::uuid end,
          'published', 'Post ' || n, '', 'Some words.', n % 2 = 0, case when n % 2 = 0 then 1e30 end, 1, 'post-' || n, 'en', true,
          'human_written', true, at, at, at
        from generate_series(1, ${POSTS}::integer) n, lateral (select timestamptz 'epoch' + n * interval '1 minute' as at) t`
      yield* sql`
        insert into gifts (id, owner_id, post_id, secret_hash, max_redemptions, created_at)
        select gen_random_uuid(), ${seller}::uuid, ('00000000-0000-4000-8100-' || lpad((2 * (n % 1000) + 2)::text, 12, '0'))::uuid,
          sha256(int4send(n)), 1, timestamptz 'epoch'
        from generate_series(1, ${GIFTS}::integer) n`
    })
  )
  for (const table of ["posts", "gifts", "owners"]) yield* sql`analyze ${sql(table)}`.unprepared
  return { seller, free }
})

layer(database("test_reading_give_plans"))("3,000 Posts and 10,000 gifts", (it) => {
  it.effect("The Posts of an author are read by an index, and gifts by their Post", () =>
    Effect.gen(function* () {
      const { free, seller } = yield* seed
      const repo = yield* giftPostStatements
      const first = yield* repo.posts(seller, { after: undefined, limit: LIMIT })
      assert.deepStrictEqual([first.length, first[0]?.title], [LIMIT + 1, `Post ${POSTS}`])
      const next = yield* repo.posts(seller, { after: idOf(POSTS - 38), limit: LIMIT })
      assert.strictEqual(next[0]?.title, `Post ${POSTS - 40}`)
      for (const mode of ["force_generic_plan", "force_custom_plan"] as const) {
        for (const after of [undefined, idOf(1_000)]) {
          const nodes = yield* planNodes(mode, repo.posts(seller, { after, limit: LIMIT }))
          for (const table of ["posts", "gifts"]) assert.notInclude(wholeTables(nodes), table, mode)
          assert.isAtMost(rowsRead(nodes, "posts"), 2 * LIMIT, mode)
        }
        const nothing = yield* planNodes(mode, repo.posts(free, { after: undefined, limit: LIMIT }))
        assert.notInclude(wholeTables(nothing), "gifts", mode)
        assert.strictEqual(rowsRead(nothing, "gifts"), 0, mode)
        const one = yield* planNodes(mode, repo.post(seller, idOf(2)))
        assert.isAtMost(rowsRead(one, "posts"), 1, mode)
      }
    })
  )
})
