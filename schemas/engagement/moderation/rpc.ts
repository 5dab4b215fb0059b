import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { AccountHandle, AccountNotFound, decisionFields } from "../../accounts/administration/rpc.ts"
import { CommentId, isUuid, PostId } from "../../platform/Ids.ts"
import { Administrator } from "../../platform/security/administrator.ts"
import { atMost, Text } from "../../platform/Text.ts"
import { AuditPage, ModeratedComment, ModeratedPost, RestrictedAccount } from "./Moderation.ts"

/** The Post does not exist. */
export class PostNotFound extends Schema.TaggedError<PostNotFound>()("PostNotFound", { postId: PostId }) {}

/** The Comment does not exist. */
export class CommentNotFound extends Schema.TaggedError<CommentNotFound>()("CommentNotFound", {
  commentId: CommentId
}) {}

/** The cursor does not belong to this list. */
export class InvalidCursor extends Schema.TaggedError<InvalidCursor>()("InvalidCursor", {}) {}

const account = {
  payload: { handle: AccountHandle, ...decisionFields },
  success: RestrictedAccount,
  error: AccountNotFound
}

const post = { payload: { postId: PostId, ...decisionFields }, success: ModeratedPost, error: PostNotFound }

const comment = {
  payload: { commentId: CommentId, ...decisionFields },
  success: ModeratedComment,
  error: CommentNotFound
}

/** The number of entries of a page. */
export const PageLimit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 }))

/** The `nextCursor` of the previous page. */
export const PageCursor = Text.check(atMost(400))

/** The members that every list for moderators takes. */
export const pageFields = {
  limit: Schema.optionalKey(PageLimit),
  cursor: Schema.optionalKey(PageCursor)
}

/** The id of an account, a Post, a Comment or a report. */
export const SubjectId = Schema.String.check(isUuid())

/**
 * Procedures of moderators. Each action takes a reason, which the audit log keeps, and tells the owner what was done, with
 * `reasonForAuthor` if there is one. It may be repeated: a repeat changes, records and tells nothing.
 */
export class ModerationRpcs extends RpcGroup.make(
  /**
   * Restricts an account: it can sign in and read, but nothing of it is public. Its Profile and Posts are 404 at once.
   * Soon after, its public Posts become drafts and its Comments are hidden.
   */
  Rpc.make("accounts.restrict", account),
  /**
   * Ends a restriction. Everything that it hid returns, except Posts and Comments that moderators withdrew or hid
   * separately.
   */
  Rpc.make("accounts.unrestrict", account),
  /** Makes a Post a draft that cannot be published until it is restored. */
  Rpc.make("moderation.posts.withdraw", post),
  /** Ends a withdrawal. A Post that was public is public again, with its time of publication. */
  Rpc.make("moderation.posts.restore", post),
  /** Hides a Comment from every reader. */
  Rpc.make("moderation.comments.hide", comment),
  /** Shows a hidden Comment again, unless its author is restricted. */
  Rpc.make("moderation.comments.restore", comment),
  /** Lists the actions of administrators, newest first. */
  Rpc.make("moderation.audit.list", {
    payload: { ...pageFields, subjectId: Schema.optionalKey(SubjectId) },
    success: AuditPage,
    error: InvalidCursor
  })
).middleware(Administrator) {}
