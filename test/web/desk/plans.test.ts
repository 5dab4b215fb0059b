import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { deskNumberStatements } from "../../../src/engagement/desk/deskNumbers.sql.ts"
import { feedStatements } from "../../../src/engagement/notifications/feed/feed.sql.ts"
import { ownPostStatements } from "../../../src/publishing/posts/ownPosts.sql.ts"
import { deskDaysOf } from "../../../src/web/desk/home.ts"
import { BUSY_POSTS, busyAuthor, seedBusyAuthor } from "../../support/busyAuthor.ts"
import { database } from "../../support/Database.ts"
import { planNodes, rowsRead, wholeTables } from "../../support/plans.ts"

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
      yield* sql`
        insert into earnings_daily (owner_id, day, shard, sales, sales_raw)
        select md5('other' || n)::uuid, date '2026-10-01' + day, 0, 1, 1
        from generate_series(1, 500) n, generate_series(0, 59) day`
    })
  )
  yield* sql`vacuum analyze posts, owners, notifications, earnings_daily`.unprepared
})

const seeded = Layer.effectDiscard(seed).pipe(Layer.provideMerge(database("test_desk_plans")))

layer(seeded, { timeout: "2 minutes" })("The desk of an author with 1,000 posts", (it) => {
  it.effect(
    "Its numbers, drafts and notifications are read by indexes, and no whole table",
    () =>
      Effect.gen(function* () {
        const { numbers } = yield* deskNumberStatements
        const { drafts } = yield* ownPostStatements
        const feed = yield* feedStatements
        const days = deskDaysOf(DateTime.toDateUtc(DateTime.makeUnsafe("2026-10-31T12:00:00Z")))
        for (const mode of ["force_generic_plan", "force_custom_plan"] as const) {
          const read = yield* planNodes(mode, numbers(busyAuthor, days))
          assert.deepStrictEqual(
            // The tables that are empty here.
            wholeTables(read).filter(
              (table) => !["comments", "follows", "reactions", "post_reads"].includes(table!)
            ),
            [],
            mode
          )
          assert.isAtMost(rowsRead(read, "posts"), BUSY_POSTS, mode)
          assert.isAtMost(rowsRead(read, "earnings_daily"), 61 * 16 + 1, mode)
          const newest = yield* planNodes(mode, drafts(busyAuthor, 6))
          assert.deepStrictEqual(wholeTables(newest), [], mode)
          assert.isAtMost(rowsRead(newest, "posts"), BUSY_POSTS, mode)
          const unread = yield* planNodes(mode, feed.unread(busyAuthor))
          assert.deepStrictEqual(
            wholeTables(unread).filter((table) => table !== "notification_preferences"),
            [],
            mode
          )
          assert.isAtMost(rowsRead(unread, "notifications"), UNREAD, mode)
        }
        assert.strictEqual(yield* feed.unread(busyAuthor), UNREAD)
        assert.lengthOf(yield* drafts(busyAuthor, 6), 6)
      }),
    120_000
  )
})
