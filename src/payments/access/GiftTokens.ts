import { Context, Effect, type Option, type Redacted } from "effect"
import { GiftInvalid } from "../../../schemas/payments/access/errors.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { ReceiptToken } from "../receipts/receiptToken.ts"

/** A gift token that a request shows, and its Idempotency-Key. */
export interface ShownGift {
  readonly token: Redacted.Redacted
  readonly idempotencyKey: Option.Option<string>
}

/** Redeems gift tokens. Gifts provide it; without them every token is invalid. */
export const GiftTokens = Context.Reference<{
  /** Returns the receipt of the redemption, which reads the Post from now on. */
  readonly redeem: (postId: PostId, gift: ShownGift) => Effect.Effect<ReceiptToken, GiftInvalid>
}>("pennypress/payments/access/GiftTokens", {
  defaultValue: () => ({ redeem: () => Effect.fail(new GiftInvalid()) })
})
