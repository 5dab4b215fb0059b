import { Schema } from "effect"
import { CommentId, TipId } from "../../platform/Ids.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { Author } from "../../publishing/discovery/Discovery.ts"

/** Maximum number of tips in one answer: the newest, or those of the accounts that gave most. */
export const TIPS_MAX = 200

/** An exact amount above zero in raw units, as digits. */
const PositiveRaw = Schema.String.check(Schema.isPattern(/^[1-9][0-9]{0,38}$/u)).annotate({
  identifier: "PositiveRaw",
  description: "An exact amount above zero in raw. 1 XNO is 10^30 raw."
})

/**
 * A tip for a Post or for a Comment on it. `supporter` is null for a payer without an account, and for one who is not shown
 * among supporters.
 */
export const TipActivity = Schema.Struct({
  id: TipId,
  createdAt: Timestamp,
  amountReceivedRaw: PositiveRaw,
  /** Null for a tip for the Post. */
  commentId: Schema.NullOr(CommentId),
  supporter: Schema.NullOr(Author)
}).annotate({ identifier: "TipActivity" })
export type TipActivity = typeof TipActivity.Type

/**
 * An account that tipped a Comment, with the sum of its tips. `supporter` is null for all payers without an account together.
 * Both are null for all accounts that are not shown among supporters.
 */
export const CommentSupporter = Schema.Struct({
  supporter: Schema.NullOr(Author),
  tipAmountRaw: Schema.NullOr(PositiveRaw)
}).annotate({ identifier: "CommentSupporter" })
export type CommentSupporter = typeof CommentSupporter.Type
