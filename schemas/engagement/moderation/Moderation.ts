import { Schema } from "effect"
import { CommentId, OwnerId, PostId } from "../../platform/Ids.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { PostStatus } from "../../publishing/posts/Post.ts"

/** An account after its restriction or after the end of one. */
export const RestrictedAccount = Schema.Struct({
  ownerId: OwnerId,
  handle: Schema.String,
  isRestricted: Schema.Boolean
})
export type RestrictedAccount = typeof RestrictedAccount.Type

/** A Post after its withdrawal or restoration. */
export const ModeratedPost = Schema.Struct({
  postId: PostId,
  /**
   * A restored Post stays a draft if it was one, if it lacks something that a public Post needs, or while its author is
   * restricted.
   */
  status: PostStatus,
  isWithdrawn: Schema.Boolean
})
export type ModeratedPost = typeof ModeratedPost.Type

/** A Comment after a moderator hid or restored it. */
export const ModeratedComment = Schema.Struct({
  commentId: CommentId,
  postId: PostId,
  isHidden: Schema.Boolean
})
export type ModeratedComment = typeof ModeratedComment.Type

/** An action of an administrator or a moderator, as the audit log records it. */
export const AuditEntry = Schema.Struct({
  id: Schema.String,
  /** The procedure, such as `accounts.restrict`. */
  action: Schema.String,
  /** The name that an administrator gave, or the handle that a moderator had then. */
  actor: Schema.String,
  /** The account of a moderator; null for an administrator. */
  actorId: Schema.NullOr(OwnerId),
  /** The account, Post, Comment or report. */
  subjectId: Schema.String,
  reason: Schema.String,
  /** The sentence for the owner; null without one. */
  reasonForAuthor: Schema.NullOr(Schema.String),
  createdAt: Timestamp
})
export type AuditEntry = typeof AuditEntry.Type

/** Actions of a page, newest first. */
export const AuditPage = Schema.Struct({
  entries: Schema.Array(AuditEntry),
  /** Continues the list; null at its end. */
  nextCursor: Schema.NullOr(Schema.String)
})
export type AuditPage = typeof AuditPage.Type
