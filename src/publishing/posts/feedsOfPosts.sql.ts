import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"

const FeedRow = Schema.Struct({ feed: Schema.String })

/**
 * Makes the statement that returns the paths of the feeds that have one of these Posts now, or had it until the restriction of
 * its author.
 */
export const feedsOfPosts = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many } = statements(sql, "posts")

  return (ids: ReadonlyArray<PostId>) =>
    Effect.map(
      many("feeds", FeedRow)`
        select distinct part.feed
        from posts p join owners o on o.id = p.owner_id
        left join categories one on one.id = p.primary_category_id
        left join categories other on other.id = p.secondary_category_id,
          lateral (values (''), ('/@' || o.handle), ('/c/' || one.slug), ('/c/' || other.slug)) part (feed)
        where p.id = any(${ids}::uuid[]) and p.published_at is not null and part.feed is not null`,
      (rows) => rows.map(({ feed }) => feed)
    )
})
