import { Option, Redacted } from "effect"
import { type ReceiptToken, receiptTokenOf } from "../receipts/receiptToken.ts"

/** A gift token that a request presents, and its Idempotency-Key. */
export interface ShownGift {
  readonly token: Redacted.Redacted
  readonly idempotencyKey: Option.Option<string>
}

/**
 * Returns the receipt of the redemption that the Idempotency-Key names; none without a key. It is derived from secrets
 * that its holder already has, so the redemption may not exist yet.
 */
export const receiptOfGift = ({ idempotencyKey, token }: ShownGift): Option.Option<ReceiptToken> =>
  Option.map(idempotencyKey, (key) => receiptTokenOf(Redacted.make(`${Redacted.value(token)} ${key}`)))
