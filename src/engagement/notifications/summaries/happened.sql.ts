import type { SqlClient } from "effect/sql"
import type { OwnerId } from "../../../../schemas/platform/Ids.ts"

/**
 * Counts what others did for an owner in a span of time. Each count walks over ranges of an index: one of follows, and
 * one for each own Post and Comment. A follow of which the creator was not notified is not new. A reaction that changed
 * counts at the time of the first reaction.
 */
export const happenedTo = (sql: SqlClient.SqlClient, owner: OwnerId, from: Date, until: Date) => {
  const isNew = sql`created_at >= ${from} and created_at < ${until}`
  const reactions = (target: "comment_id" | "post_id") => sql`
    select count(*) as news from reactions
    where ${sql(target)} = target.id and reaction = any('{thumbs_up,heart,fire,clap}') and changed_at >= ${from} and ${isNew}`
  return sql`
    select
      (select count(*) from follows
        where creator_id = ${owner} and ended_at is null and announced_at is not null and ${isNew})::int4 as followers,
      (select coalesce(sum(news), 0) from posts target cross join lateral (
        select count(*) as news from comments
        where post_id = target.id and ${isNew} and author_id <> ${owner} and deleted_at is null and hidden_at is null) on_post
        where owner_id = ${owner})::int4 as comments,
      ((select coalesce(sum(news), 0) from posts target cross join lateral (${reactions("post_id")}) on_post
        where owner_id = ${owner})
      + (select coalesce(sum(news), 0) from comments target cross join lateral (${reactions("comment_id")}) on_comment
        where author_id = ${owner}))::int4 as reactions`
}
