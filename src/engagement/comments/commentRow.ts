import type { Comment, DeletedByRole } from "../../../schemas/engagement/comments/Comment.ts"
import type { Reaction } from "../../../schemas/engagement/reactions/Reaction.ts"
import type { CommentId, OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { authorColumns, authorOf, type AuthorRow } from "../../accounts/owners/authorRow.ts"
import type { OwnMedia } from "../../platform/media/OwnMedia.ts"

/** A Comment with its author and the reaction of its reader. */
export interface CommentRow extends AuthorRow {
  readonly id: CommentId
  readonly post_id: PostId
  readonly content: string | null
  readonly parent_comment_id: CommentId | null
  readonly reply_target_comment_id: CommentId | null
  readonly thread_root_id: CommentId
  readonly depth: number
  readonly created_at: Timestamp
  readonly deleted_at: Timestamp | null
  readonly deleted_by_role: DeletedByRole | null
  readonly reply_count: number
  readonly thumbs_up: number
  readonly heart: number
  readonly fire: number
  readonly clap: number
  readonly viewer_reaction: Reaction | null
  readonly tip_amount_raw: string
}

/** Columns of a Comment but `viewer_reaction`, for `comments c` joined to `owners o`. */
export const commentColumns = `
  c.id, c.post_id, c.content, c.parent_comment_id, c.reply_target_comment_id, c.thread_root_id, c.depth,
  wire_time(c.created_at) as created_at, wire_time(c.deleted_at) as deleted_at, c.deleted_by_role,
  c.reply_count, c.thumbs_up, c.heart, c.fire, c.clap,
  (select coalesce(sum(amount_raw), 0)::text from tips where comment_id = c.id) as tip_amount_raw,
  ${authorColumns("author", "o")}`

/** Returns the Comment of a row. `buyers` are the owners who have bought the Post. */
export const commentOf = (
  row: CommentRow,
  buyers: ReadonlySet<OwnerId>,
  media: OwnMedia["Service"]
): Comment => ({
  id: row.id,
  postId: row.post_id,
  content: row.content,
  parentCommentId: row.parent_comment_id,
  replyTargetCommentId: row.reply_target_comment_id,
  threadRootId: row.thread_root_id,
  depth: row.depth,
  createdAt: row.created_at,
  deletedAt: row.deleted_at,
  deletedByRole: row.deleted_by_role,
  author: authorOf(row, media),
  hasPurchased: buyers.has(row.author_id),
  reactions: {
    counts: { thumbs_up: row.thumbs_up, heart: row.heart, fire: row.fire, clap: row.clap },
    total: row.thumbs_up + row.heart + row.fire + row.clap,
    viewerReaction: row.viewer_reaction
  },
  replyCount: row.reply_count,
  tipAmountRaw: row.tip_amount_raw
})
