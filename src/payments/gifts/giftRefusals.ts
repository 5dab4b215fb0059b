import {
  GiftExhausted,
  GiftExpired,
  type GiftInvalid,
  GiftRevoked,
  PostWithdrawn
} from "../../../schemas/payments/access/errors.ts"
import { AlreadyOwned } from "../../../schemas/payments/purchases/errors.ts"
import { AlreadyPurchased, PostIsFree } from "../../../schemas/payments/sessions/errors.ts"
import type { RateLimited } from "../../../schemas/platform/errors/common.ts"
import type { OfferedRow } from "./redemptions.sql.ts"

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

const ended = {
  revoked: () => new GiftRevoked(),
  expired: () => new GiftExpired(),
  exhausted: () => new GiftExhausted()
} as const

const withdrawn = () =>
  new PostWithdrawn({
    detail: "The author withdrew the Post: the gift can be redeemed while the Post is published"
  })

/** Refuses to add a redemption to an account that cannot have it. */
export const isTaken = () =>
  new AlreadyOwned({
    detail:
      "Another account claimed this gift, or your account already has the Post. The receipt still gives access"
  })

/** Refuses a gift to an account that has the Post already. */
export const ownsIt = () =>
  new AlreadyPurchased({
    detail: "You wrote or bought this Post: read it at its access URL. The gift was not redeemed"
  })

/** Returns the reason why a gift cannot be redeemed now, or undefined. */
export const refusalOf = ({ enable_paywall, is_public, state }: OfferedRow) => {
  if (state !== "active") return ended[state]()
  if (!is_public) return withdrawn()
  return enable_paywall ? undefined : new PostIsFree()
}
