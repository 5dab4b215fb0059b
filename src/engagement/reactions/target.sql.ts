import type { SqlClient, Statement } from "effect/sql"
import type { ReactionTarget } from "./target.ts"

/**
 * Selects the target with its author and its counters, if every reader may see it. The reactions to a deleted Comment
 * are not visible.
 */
export const visibleTarget = (sql: SqlClient.SqlClient, target: ReactionTarget): Statement.Fragment =>
  target.kind === "post"
    ? sql`
        select p.id, p.id as post_id, p.owner_id as author_id, n.thumbs_up, n.heart, n.fire, n.clap
        from posts p join post_counts n on n.post_id = p.id
        where p.id = ${target.id} and p.status = 'published'`
    : sql`
        select c.id, c.post_id, c.author_id, c.thumbs_up, c.heart, c.fire, c.clap
        from comments c join posts p on p.id = c.post_id
        where c.id = ${target.id} and c.deleted_at is null and c.hidden_at is null
          and p.status = 'published' and p.comments_enabled
          ${target.postId === undefined ? sql`` : sql`and c.post_id = ${target.postId}`}`
