import { Argument, Command } from "effect/cli"
import { CommentId, PostId } from "../../../schemas/platform/Ids.ts"
import { textArgument } from "../arguments/checkedArguments.ts"
import { decision } from "./action.ts"

const postId = textArgument("post-id", PostId).pipe(Argument.withDescription("The id of the Post"))

const commentId = textArgument("comment-id", CommentId).pipe(
  Argument.withDescription("The id of the Comment")
)

const withdraw = decision(
  "withdraw",
  "Withdraw a Post: it becomes a draft that its author cannot publish",
  postId,
  (client, postId, because) => client["moderation.posts.withdraw"]({ postId, ...because }),
  ({ postId }) => `${postId} is withdrawn`
)

const restorePost = decision(
  "restore",
  "End the withdrawal of a Post: it is public again if it was",
  postId,
  (client, postId, because) => client["moderation.posts.restore"]({ postId, ...because }),
  ({ postId, status }) => `${postId} is restored, and ${status === "draft" ? "a draft" : "public"}`
)

const hide = decision(
  "hide",
  "Hide a Comment from every reader",
  commentId,
  (client, commentId, because) => client["moderation.comments.hide"]({ commentId, ...because }),
  ({ commentId }) => `${commentId} is hidden`
)

const restoreComment = decision(
  "restore",
  "Show a hidden Comment again, unless its author is restricted",
  commentId,
  (client, commentId, because) => client["moderation.comments.restore"]({ commentId, ...because }),
  ({ commentId }) => `${commentId} is restored`
)

/** Commands for Posts. */
export const posts = Command.make("posts").pipe(
  Command.withDescription("Posts"),
  Command.withSubcommands([withdraw, restorePost])
)

/** Commands for Comments. */
export const comments = Command.make("comments").pipe(
  Command.withDescription("Comments"),
  Command.withSubcommands([hide, restoreComment])
)
