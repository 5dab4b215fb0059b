import type { SqlClient } from "effect/sql"
import type { CommentId, OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { commentColumns, type CommentRow } from "./commentRow.ts"

/** The owner who reads, or null. */
export type Viewer = OwnerId | null

/** The end of a page: the time and the id of its last Comment. */
interface Position {
  readonly createdAt: Timestamp
  readonly id: CommentId
}

/** A part of a discussion, or of one thread of it. */
export interface Slice {
  readonly postId: PostId
  readonly threadRootId: CommentId | undefined
  /** Undefined for the beginning. */
  readonly after: Position | undefined
  readonly limit: number
}

/** Bounds of the newest Comments. */
export interface Newest {
  readonly limit: number
  readonly bytesMax: number
}

/** Returns the columns of a Comment with the reaction of its reader, for `comments c` joined to `owners o`. */
export const columnsFor = (sql: SqlClient.SqlClient, viewer: Viewer) => {
  const reaction =
    viewer === null
      ? sql`null`
      : sql`(select reaction from reactions where target_id = c.id and owner_id = ${viewer})`
  return sql`${sql.literal(commentColumns)}, ${reaction} as viewer_reaction`
}

/** Returns the condition that moderation hides a Comment. Readers use the view `public_comments`. */
export const isHidden = (comment: string) => `${comment}.hidden_at is not null`

/**
 * Returns the condition that readers see the discussion of a Post. The view says it of each Comment, so without this a Post that
 * takes no Comments any more has all of its Comments read, to find that none is shown.
 */
export const isOpen = (sql: SqlClient.SqlClient, postId: PostId) =>
  sql`(select true from public_posts where id = ${postId} and comments_enabled)`

/**
 * The condition that a row `posts p` has Comments and takes them. They are read in their order: where one Post has most
 * of them, an "exists" reads them all for a Post without any.
 */
export const hasComments = `p.comments_enabled and coalesce(
  (select true from comments where post_id = p.id order by created_at, id limit 1), false)`

// Authors are joined only to the Comments of the answer.

/** Selects the Comments of a slice and one beyond, when there are more. */
export const sliceOf = (
  sql: SqlClient.SqlClient,
  viewer: Viewer,
  { after, limit, postId, threadRootId }: Slice
) => {
  const inThread = threadRootId === undefined ? sql`` : sql`and c.thread_root_id = ${threadRootId}`
  const beyond =
    after === undefined
      ? sql``
      : sql`and (c.created_at, c.id) > (${after.createdAt}::timestamptz, ${after.id}::uuid)`
  return sql<CommentRow>`
    select ${columnsFor(sql, viewer)} from (
      select * from public_comments c where c.post_id = ${postId} and ${isOpen(sql, postId)} ${inThread} ${beyond}
      order by c.created_at, c.id limit ${limit + 1}) c
    join owners o on o.id = c.author_id order by c.created_at, c.id`
}

/** Selects the newest Comments on a Post in ascending order. */
export const newestOf = (
  sql: SqlClient.SqlClient,
  viewer: Viewer,
  postId: PostId,
  { bytesMax, limit }: Newest
) => sql<CommentRow>`
  select ${columnsFor(sql, viewer)} from (
    select *, sum(coalesce(octet_length(content), 0)) over (order by created_at desc, id desc) as bytes
    from (
      select * from public_comments c where c.post_id = ${postId} and ${isOpen(sql, postId)}
      order by c.created_at desc, c.id desc limit ${limit}) newest) c
  join owners o on o.id = c.author_id where c.bytes <= ${bytesMax} order by c.created_at, c.id`
