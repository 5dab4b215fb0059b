import { Schema } from "effect"
import { CommentId, OwnerId, PostId, TipId } from "../../platform/Ids.ts"
import { RawDigits } from "../../platform/Nano.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { tipAmount } from "../sessions/PaymentSession.ts"
import { SettlementResponse } from "../x402/SettlementResponse.ts"

/** The amount of a tip. */
export const TipDraft = Schema.Struct(tipAmount)
  .check(Schema.isMinProperties(1, { message: "Add amountRaw or amountXno" }))
  .annotate({ identifier: "TipDraft" })
export type TipDraft = typeof TipDraft.Type

/** A tip that is settled, and the outcome of its payment. */
export const PaidTip = Schema.Struct({
  tip: Schema.Struct({
    id: TipId,
    amountRaw: RawDigits,
    /** A tip to a Comment names its Post, too. `profileId` is the owner who was paid. */
    target: Schema.Struct({
      postId: Schema.NullOr(PostId),
      commentId: Schema.NullOr(CommentId),
      profileId: OwnerId
    }),
    createdAt: Timestamp
  }),
  settlement: SettlementResponse
}).annotate({ identifier: "PaidTip" })
export type PaidTip = typeof PaidTip.Type
