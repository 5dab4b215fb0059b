import { Context, Effect, Option, Redacted } from "effect"
import {
  type GiftExhausted,
  type GiftExpired,
  GiftInvalid,
  type GiftRevoked,
  type PostWithdrawn
} from "../../../schemas/payments/access/errors.ts"
import type { PostIsFree } from "../../../schemas/payments/sessions/errors.ts"
import type { RateLimited } from "../../../schemas/platform/errors/common.ts"
import type { OwnerId, PostId, UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { type ReceiptToken, receiptTokenOf } from "../receipts/receiptToken.ts"

/** A gift token that a request presents, and its Idempotency-Key. */
export interface ShownGift {
  readonly token: Redacted.Redacted
  readonly idempotencyKey: Option.Option<string>
}

/** A caller who presents a gift token: an account, or the client whose address limits wrong tokens. */
export interface GiftReader {
  readonly ownerId: OwnerId | null
  readonly client: string
  /** The file for which the gift is redeemed. */
  readonly fileId?: UploadOperationId | undefined
}

/** The file for which a gift is redeemed is not for sale: the gift was not redeemed. */
export class FileNotForSale {
  readonly _tag = "FileNotForSale"
}

/** Reasons why a gift token is not redeemed. */
export type GiftRefusal =
  | GiftExhausted
  | GiftExpired
  | GiftInvalid
  | GiftRevoked
  | PostIsFree
  | PostWithdrawn
  | RateLimited

/**
 * Returns the receipt of the redemption that the Idempotency-Key names; none without a key. It is derived from secrets
 * that its holder already has, so the redemption may not exist yet.
 */
export const receiptOfGift = ({ idempotencyKey, token }: ShownGift): Option.Option<ReceiptToken> =>
  Option.map(idempotencyKey, (key) => receiptTokenOf(Redacted.make(`${Redacted.value(token)} ${key}`)))

/** Redeems gift tokens. Gifts provide it; without them every token is invalid. */
export const GiftTokens = Context.Reference<{
  /**
   * Redeems a gift, for the account or for the receipt that it returns, either of which reads the Post from now on. Accounts
   * get no receipt.
   */
  readonly redeem: (
    postId: PostId,
    gift: ShownGift,
    reader: GiftReader
  ) => Effect.Effect<Option.Option<ReceiptToken>, GiftRefusal | FileNotForSale>
}>("pennypress/payments/access/GiftTokens", {
  defaultValue: () => ({ redeem: () => Effect.fail(new GiftInvalid()) })
})
