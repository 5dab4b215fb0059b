import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The outbox of WebSub: feeds that changed, and that the hub has not heard of. Sitemaps walk an index of their own. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The path of a feed without the name of its format, empty for that of the site. Each change is a row of its own, so
  // that authors who publish at the same time wait for no row of another.
  yield* sql`
    create table feed_changes (
      id uuid primary key,
      feed text not null,
      created_at timestamptz not null,
      due_at timestamptz not null,
      attempts integer not null default 0
    )
  `
  yield* sql`create index feed_changes_due_at on feed_changes (due_at)`
  yield* sql`create index feed_changes_feed on feed_changes (feed)`
  yield* sql`create index feed_changes_created_at on feed_changes (created_at)`

  yield* sql`create index posts_published on posts (id) where status = 'published'`
  yield* sql`create index owners_publishing on owners (id) where published_post_count > 0`
})
