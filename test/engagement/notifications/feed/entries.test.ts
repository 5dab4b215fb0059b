import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { NotificationId } from "../../../../schemas/platform/Ids.ts"
import { entryStatements } from "../../../../src/engagement/notifications/feed/entries.sql.ts"
import { insertOwner, insertPost } from "../../../support/actors/storedOwner.ts"
import { database } from "../../../support/Database.ts"
import { mostRows, planNodes, wholeTables } from "../../../support/plans.ts"

const NOTIFICATIONS = 60_000
const READERS = 5_000

const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const owner = yield* insertOwner(1)
  yield* insertOwner(2)
  yield* insertPost(1, owner, "published")
  yield* sql`
    insert into owners (id, kind, name, handle, created_at)
    select md5('reader' || n)::uuid, 'guest', 'Reader ' || n, 'reader_' || n, timestamptz 'epoch'
    from generate_series(1, ${READERS}::integer) n`
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`set local session_replication_role = replica`
      yield* sql`
        insert into posts (id, owner_id, status, title, description, enable_paywall, slug, language, comments_enabled,
          creation_method, creation_attested, created_at, updated_at, published_at)
        select md5('post' || n)::uuid, md5('reader' || n)::uuid, 'published', 'Post ' || n, '', false, 'post-' || n, 'en',
          true, 'human_written', true, at, at, at
        from generate_series(1, ${READERS}::integer) n, lateral (select timestamptz '2026-01-01Z' as at) t`
      yield* sql`
        insert into comments (id, post_id, author_id, content, thread_root_id, depth, created_at, idempotency_key, intent,
          by_agent)
        select md5('comment' || n)::uuid, md5('post' || n)::uuid, md5('reader' || n)::uuid, 'Words',
          md5('comment' || n)::uuid, 0, timestamptz '2026-01-01Z', 'k', '', false
        from generate_series(1, ${READERS}::integer) n`
    })
  )
  // Three of four were read.
  yield* sql`
    insert into notifications (recipient_id, id, type, created_at, read_at, actor_id, post_id, comment_id)
    select ${owner}::uuid, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'comment_reply',
      timestamptz '2026-01-01Z', case when n % 4 > 0 then timestamptz '2026-01-02Z' end, md5('reader' || n % ${READERS})::uuid,
      md5('post' || n % ${READERS})::uuid, md5('comment' || n % ${READERS})::uuid
    from generate_series(1, ${NOTIFICATIONS}::integer) n`
  yield* sql`vacuum analyze notifications, owners, posts, comments, post_mutes`.unprepared
  return owner
})

layer(database("test_web_notification_plans"), { timeout: "1 minute" })("60,000 notifications", (it) => {
  it.effect(
    "A page reads the notifications that it shows, and one row for each name",
    () =>
      Effect.gen(function* () {
        const owner = yield* seed
        const { slice } = yield* entryStatements
        const middle = NotificationId.make("00000000-0000-7000-8000-000000030000")
        for (const readFrom of [null, new Date("2026-01-03T00:00:00Z")])
          for (const after of [undefined, middle])
            for (const mode of ["force_generic_plan", "force_custom_plan"] as const) {
              const types = ["comment_reply", "new_post"] as const
              const nodes = yield* planNodes(mode, slice(owner, { types, readFrom, after, limit: 20 }))
              const name = `${readFrom?.toISOString()}, ${after}, ${mode}`
              const whole = wholeTables(nodes).filter((table) => table !== "post_mutes")
              assert.deepStrictEqual(whole, [], name)
              assert.isAtMost(mostRows(nodes), 100, name)
            }
      }),
    60_000
  )
})
