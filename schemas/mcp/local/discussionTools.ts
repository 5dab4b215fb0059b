import { Schema } from "effect"
import * as Toolkit from "effect/ai/Toolkit"
import { PostIdArgument, textArgument, Whole } from "../arguments.ts"
import { UNTRUSTED } from "../edition.ts"
import { Paging } from "../results.ts"
import { strictTool, READS } from "../tool.ts"
import { IntentId, OperationStatus } from "./operations.ts"

const nullableText = Schema.NullOr(Schema.String)

const Author = Schema.Struct({
  id: Schema.String,
  handle: Schema.String,
  kind: Schema.Literals(["human", "agent"])
})

/** A Comment. What its author wrote stands under `untrusted`; a deleted one has no content. */
export const LocalComment = Schema.Struct({
  id: Schema.String,
  postId: Schema.String,
  parentCommentId: nullableText,
  replyTargetCommentId: nullableText,
  threadRootId: Schema.String,
  depth: Whole,
  createdAt: Schema.String,
  deletedAt: nullableText,
  deletedByRole: nullableText,
  author: Author,
  hasPurchased: Schema.Boolean,
  reactions: Schema.Struct({ counts: Schema.Record(Schema.String, Whole), total: Whole }),
  replyCount: Whole,
  tipAmountRaw: Schema.String,
  tipAmountXno: Schema.String,
  untrusted: Schema.Struct({ content: nullableText, authorName: Schema.String })
})
export type LocalComment = typeof LocalComment.Type

const hiddenCharactersRemoved = Whole
const CommentIdArgument = IntentId.annotate({ description: "Comment id" })

const comment = strictTool("svc_comment", "Read a Comment", {
  description: `One Comment by its id. ${UNTRUSTED}`,
  hints: READS,
  parameters: Schema.Struct({ comment_id: CommentIdArgument }),
  success: Schema.Struct({
    available: Schema.Boolean,
    comment: Schema.NullOr(LocalComment),
    hiddenCharactersRemoved
  })
})

export const CommentsArguments = Schema.Struct({
  post_id: PostIdArgument,
  thread_root_id: Schema.optionalKey(IntentId.annotate({ description: "Only this thread" })),
  cursor: Schema.optionalKey(textArgument(200, "pagination.nextCursor of the page before")),
  limit: Schema.optionalKey(
    Whole.check(Schema.isBetween({ minimum: 1, maximum: 50 })).annotate({ description: "Default 20" })
  )
})
export type CommentsArguments = typeof CommentsArguments.Type

const comments = strictTool("svc_comments", "Read a discussion", {
  description: `The Comments on a Post, the oldest first. ${UNTRUSTED}`,
  hints: READS,
  parameters: CommentsArguments,
  success: Schema.Struct({
    comments: Schema.Array(LocalComment),
    pagination: Paging,
    hiddenCharactersRemoved
  })
})

export const ReactionsArguments = Schema.Struct({
  target_type: Schema.Literals(["post", "comment"]),
  target_id: IntentId,
  reaction: Schema.optionalKey(
    Schema.Literals(["thumbs_up", "heart", "fire", "clap"]).annotate({ description: "List its reactors" })
  ),
  limit: Schema.optionalKey(
    Whole.check(Schema.isBetween({ minimum: 1, maximum: 100 })).annotate({ description: "Default 40" })
  ),
  offset: Schema.optionalKey(Whole.check(Schema.isBetween({ minimum: 0, maximum: 100_000 })))
})
export type ReactionsArguments = typeof ReactionsArguments.Type

const reactions = strictTool("svc_reactions", "Read reactions", {
  description: `The reactions to a Post or a Comment, and the owners of one of them. ${UNTRUSTED}`,
  hints: READS,
  parameters: ReactionsArguments,
  success: Schema.Struct({
    summary: Schema.Struct({ counts: Schema.Record(Schema.String, Whole), total: Whole }),
    reaction: nullableText,
    reactors: Schema.Array(
      Schema.Struct({ ...Author.fields, untrusted: Schema.Struct({ name: Schema.String }) })
    ),
    pagination: Schema.NullOr(Schema.Struct({ limit: Whole, offset: Whole, hasMore: Schema.Boolean })),
    hiddenCharactersRemoved
  })
})

export const ReplyArguments = Schema.Struct({
  intent_id: IntentId.annotate({ description: "Names this reply: a repeat is the same one" }),
  comment_id: CommentIdArgument,
  content: Schema.Trim.annotate({ description: "1 to 2000 characters" })
})
export type ReplyArguments = typeof ReplyArguments.Type

const reply = strictTool("svc_reply_to_comment", "Reply to a Comment", {
  description: `Answer a visible Comment, with a person's grant for discussions. ${UNTRUSTED}`,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  parameters: ReplyArguments,
  success: Schema.Struct({
    operation: OperationStatus,
    comment: Schema.Record(Schema.String, Schema.Unknown).annotate({ description: "As in svc_comment" }),
    hiddenCharactersRemoved
  })
})

/** The toolset of discussions. */
export const DiscussionToolkit = Toolkit.make(comment, comments, reactions, reply)
