import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { Cursor, pagination } from "../../platform/Cursor.ts"
import { GiftId, PostId } from "../../platform/Ids.ts"
import { queryInteger } from "../../platform/queryInteger.ts"
import { atMost, Text, visibleLine } from "../../platform/Text.ts"
import { DateTimeInput, Timestamp } from "../../platform/Timestamp.ts"
import { RECEIPT_CHARACTERS_MAX } from "../purchases/Purchase.ts"

/** Maximum number of active gifts of an owner. */
export const ACTIVE_GIFTS_MAX = 200
/** Redemptions of a gift, at most. */
export const GIFT_REDEMPTIONS_MAX = 10_000
/** Default number of redemptions of a gift. */
export const GIFT_REDEMPTIONS_DEFAULT = 1
/** Default lifetime of a gift. */
export const GIFT_LIFETIME_DEFAULT_DAYS = 30
/** Characters of a label, at most. */
export const GIFT_LABEL_CHARACTERS_MAX = 80
/** Default number of gifts of a page. */
export const GIFTS_DEFAULT = 50
/** Gifts of a page, at most. */
export const GIFTS_MAX = 100
/** Maximum number of characters of a token in a request. A valid token has 70. */
export const GIFT_TOKEN_CHARACTERS_MAX = 200

/** Only `active` gifts can be redeemed. A revoked gift is `revoked`, even if it is also expired or exhausted. */
export const GiftState = Schema.Literals(["active", "exhausted", "expired", "revoked"])
export type GiftState = typeof GiftState.Type

/** A gift as its author sees it, without its token. */
export const Gift = Schema.Struct({
  id: GiftId,
  postId: PostId,
  label: Schema.NullOr(Schema.String),
  maxRedemptions: Schema.Int,
  /** Redemptions so far. Repeats by one account, or with one Idempotency-Key, count once. */
  redemptions: Schema.Int,
  /** Null for a gift that does not expire. */
  expiresAt: Schema.NullOr(Timestamp),
  revokedAt: Schema.NullOr(Timestamp),
  /** The time from which readers who redeemed it have no access; null while they have access. */
  accessEndedAt: Schema.NullOr(Timestamp),
  state: GiftState,
  createdAt: Timestamp
}).annotate({ identifier: "Gift" })
export type Gift = typeof Gift.Type

/** The terms of a new gift. `expiresAt: null` asks for one that does not expire. Only its author sees the label. */
export const GiftRequest = Schema.Struct({
  postId: PostId,
  maxRedemptions: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: GIFT_REDEMPTIONS_MAX })).annotate({
      description: `Number of readers who may redeem it, ${GIFT_REDEMPTIONS_DEFAULT} by default`
    })
  ),
  expiresAt: Schema.optionalKey(
    Schema.NullOr(DateTimeInput).annotate({
      description: `A time in the future, or null for none; ${GIFT_LIFETIME_DEFAULT_DAYS} days from now by default`
    })
  ),
  label: Schema.optionalKey(Schema.NullOr(visibleLine(GIFT_LABEL_CHARACTERS_MAX)))
}).annotate({ identifier: "GiftRequest" })
export type GiftRequest = typeof GiftRequest.Type

/**
 * A new gift with its token, `ppg_<id>_<secret>`, which is shown here once. `url` is the Post with the token in its
 * fragment, which browsers do not send.
 */
export const IssuedGift = Schema.Struct({ gift: Gift, token: Schema.String, url: Schema.String })
  .annotate({ identifier: "IssuedGift" })
  .pipe(HttpApiSchema.status(201))
export type IssuedGift = typeof IssuedGift.Type

/** The query of a list of gifts. An empty cursor begins it. */
export const GiftsQuery = Schema.Struct({
  postId: Schema.optionalKey(PostId),
  limit: Schema.optionalKey(queryInteger({ minimum: 1, maximum: GIFTS_MAX, default: GIFTS_DEFAULT })),
  cursor: Schema.optionalKey(Cursor)
})
export type GiftsQuery = typeof GiftsQuery.Type

/** Gifts of an owner, newest first. */
export const GiftPage = Schema.Struct({
  data: Schema.Array(Gift),
  pagination
}).annotate({ identifier: "GiftPage" })
export type GiftPage = typeof GiftPage.Type

/** Keeps the access of readers who redeemed a revoked gift, or also revokes it. */
export const Redeemed = Schema.Literals(["keep", "revoke"])
export type Redeemed = typeof Redeemed.Type

/** The query of a revocation. Without the member, redeemed access is kept. */
export const GiftRevocation = Schema.Struct({ redeemed: Schema.optionalKey(Redeemed) })

/** The token of a gift that the account redeems. */
export const GiftTokenRequest = Schema.Struct({
  token: Text.check(atMost(GIFT_TOKEN_CHARACTERS_MAX))
}).annotate({ identifier: "GiftTokenRequest" })

/** The receipt of a gift that was redeemed without an account. */
export const GiftClaim = Schema.Struct({
  receiptToken: Text.check(atMost(RECEIPT_CHARACTERS_MAX))
}).annotate({ identifier: "GiftClaim" })

/** A gift that the account redeemed or claimed, and can now read the Post with. */
export const GiftRedemption = Schema.Struct({
  postId: PostId,
  via: Schema.Literal("gift"),
  redeemedAt: Timestamp
}).annotate({ identifier: "GiftRedemption" })
export type GiftRedemption = typeof GiftRedemption.Type
