import { Result } from "effect"
import { COMMENT_DEPTH_MAX } from "../../../schemas/engagement/comments/Comment.ts"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import type { CommentId } from "../../../schemas/platform/Ids.ts"
import type { AppendFacts, AppendRequest } from "./newComments.sql.ts"

/** The place of a Comment in its discussion. */
export interface ReplyPlace {
  readonly threadRootId: CommentId
  readonly depth: number
}

type Addressed = Pick<AppendFacts, "parent" | "target">
type Named = Pick<AppendRequest, "parentCommentId" | "replyTargetCommentId">

const wrong = (field: string, found: AppendFacts["parent"]): FieldError | undefined => {
  if (found === null)
    return { field, code: "invalid", message: "Name a Comment on this Post that readers can see" }
  if (found.is_deleted)
    return { field, code: "invalid", message: "This Comment is deleted: reply to another one" }
  return undefined
}

const tooDeep: FieldError = {
  field: "parentCommentId",
  code: "too_deep",
  message: `Replies are at most ${COMMENT_DEPTH_MAX} deep: name a parent above this one, and this one as replyTargetCommentId`
}

/** Returns the place of a Comment with this id, or every error of its parent and its target (spec 4.6.2). */
export const replyPlaceOf = (
  id: CommentId,
  { parentCommentId, replyTargetCommentId }: Named,
  { parent, target }: Addressed
): Result.Result<ReplyPlace, ReadonlyArray<FieldError>> => {
  if (parentCommentId === null) return Result.succeed({ threadRootId: id, depth: 0 })
  const ofParent =
    wrong("parentCommentId", parent) ?? ((parent?.depth ?? 0) >= COMMENT_DEPTH_MAX ? tooDeep : undefined)
  const ofTarget =
    replyTargetCommentId === parentCommentId ? undefined : wrong("replyTargetCommentId", target)
  const errors = [ofParent, ofTarget].filter((error) => error !== undefined)
  if (parent === null || errors.length > 0) return Result.fail(errors)
  return Result.succeed({ threadRootId: parent.thread_root_id, depth: parent.depth + 1 })
}
