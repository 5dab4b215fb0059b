import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { CommentId, OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import type { PostStatus } from "../../../schemas/publishing/posts/Post.ts"
import { isBuyer } from "../../payments/purchases/purchases.sql.ts"
import { isAnswered } from "./answered.sql.ts"
import type { CommentRow } from "./commentRow.ts"
import { columnsFor, isHidden } from "./slices.sql.ts"

/** A slice of the Comments on all Posts of an owner. */
interface Slice {
  /** Undefined for the newest. */
  readonly after: { readonly createdAt: Timestamp; readonly id: CommentId } | undefined
  readonly limit: number
  /** Leaves out the Comments of all other Posts. */
  readonly postId?: PostId | undefined
  /** Leaves out Comments before this moment, and those that are answered or take no answer; undefined for all. */
  readonly answerableFrom?: Date | undefined
}

/** A Comment with its Post, which may be a draft again or take no more Comments. */
export interface ReceivedCommentRow extends CommentRow {
  readonly has_purchased: boolean
  readonly title: string
  readonly status: PostStatus
  readonly slug: string
  readonly owner_handle: string
  readonly comments_enabled: boolean
  readonly updated_at: Timestamp
}

/** Statements over the Comments that the authors of Posts receive. */
export const receivedCommentStatements = Effect.map(SqlClient.SqlClient, (sql) => ({
  /**
   * Returns the newest Comments of others on the Posts of an owner, and one beyond the slice when there are more. Each
   * Post gives its newest ones by an index, so other discussions are not read.
   */
  slice: (owner: OwnerId, { after, answerableFrom, limit, postId }: Slice) => {
    // Written out, because with a limit as a parameter the planner would read and sort everything.
    const first = sql`order by c.created_at desc, c.id desc limit ${sql.literal(String(limit + 1))}`
    const beyond =
      after === undefined
        ? sql``
        : sql`and (c.created_at, c.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`
    const [posts, isWaiting] =
      answerableFrom === undefined
        ? [sql`posts`, sql``]
        : [
            sql`(select * from public_posts where comments_enabled)`,
            sql`and c.created_at >= ${answerableFrom} and not ${isAnswered(sql, owner)}`
          ]
    return Effect.orDie(sql<ReceivedCommentRow>`
      select ${columnsFor(sql, owner)}, ${isBuyer(sql, sql`c.post_id`)} as has_purchased,
        p.title, p.status, p.slug, w.handle as owner_handle, p.comments_enabled, wire_time(p.updated_at) as updated_at
      from (
        select c.* from ${posts} own cross join lateral (
          select * from comments c
          where c.post_id = own.id and c.author_id <> ${owner} and c.deleted_at is null
            and not ${sql.literal(isHidden("c"))} ${isWaiting} ${beyond}
          ${first}) c
        where own.owner_id = ${owner} ${postId === undefined ? sql`` : sql`and own.id = ${postId}`} ${first}) c
      join owners o on o.id = c.author_id
      join posts p on p.id = c.post_id
      join owners w on w.id = p.owner_id
      order by c.created_at desc, c.id desc`).pipe(Effect.withSpan("receivedComments.slice"))
  }
}))
