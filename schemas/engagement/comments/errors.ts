import { Schema } from "effect"
import { FieldError } from "../../platform/errors/FieldError.ts"
import { ServiceError } from "../../platform/errors/ServiceError.ts"
import { CommentId } from "../../platform/Ids.ts"

/** The author of this Post does not accept Comments. */
export class CommentsDisabled extends ServiceError<CommentsDisabled>()("CommentsDisabled") {}

/** `errors` names `name`, `handle` or both: an account must choose them before its first Comment (spec 4.6.2). */
export class CommenterIncomplete extends ServiceError<CommenterIncomplete>()("CommenterIncomplete", {
  errors: Schema.Array(FieldError)
}) {}

/** The Comment is saved, but reading it back failed. A repeat with the same key returns it (spec 4.6.1). */
export class CommentNotReloaded extends ServiceError<CommentNotReloaded>()("CommentNotReloaded", {
  commentId: CommentId
}) {}
