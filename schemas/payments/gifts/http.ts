import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { IdempotencyConflict, NotFound } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { IdempotencyKey } from "../../platform/IdempotencyKey.ts"
import { GiftId } from "../../platform/Ids.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSession } from "../../platform/security/middleware.ts"
import {
  GiftExhausted,
  GiftExpired,
  GiftInvalid,
  GiftRevoked,
  PostWithdrawn,
  ReceiptInvalid
} from "../access/errors.ts"
import { AlreadyOwned } from "../purchases/errors.ts"
import { AlreadyPurchased, PostIsFree } from "../sessions/errors.ts"
import { GiftAlreadyIssued, GiftLimitReached } from "./errors.ts"
import {
  Gift,
  GiftClaim,
  GiftPage,
  GiftRedemption,
  GiftRequest,
  GiftRevocation,
  GiftsQuery,
  GiftTokenRequest,
  IssuedGift
} from "./Gift.ts"

/** Gifts of an author, and their redemption by accounts. Readers without one send the token to the Post itself. */
export class GiftsApi extends HttpApiGroup.make("gifts")
  .add(
    HttpApiEndpoint.post("issue", "/api/v1/gifts", {
      headers: { "idempotency-key": IdempotencyKey },
      payload: GiftRequest,
      success: IssuedGift,
      error: [
        inJson(NotFound, "not_found"),
        inJson(PostIsFree, "post_is_free"),
        inJson(GiftAlreadyIssued, "gift_already_issued"),
        inJson(GiftLimitReached, "gift_limit_reached"),
        inJson(IdempotencyConflict, "idempotency_key_conflict")
      ]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Issue a gift",
        description:
          "Issues a gift of a published paid Post of the owner. Its token, `ppg_…`, is shown only here, once: save it and pass it on, or pass on `url`. A repeat with the same Idempotency-Key is a 409 `gift_already_issued` with the gift but without its token. An owner has at most 200 active gifts."
      })
    ),
    HttpApiEndpoint.get("list", "/api/v1/gifts", {
      query: GiftsQuery.fields,
      success: GiftPage
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List your gifts",
        description:
          "Lists the owner's gifts, for one Post or for all, newest first. The answer never has a token."
      })
    ),
    HttpApiEndpoint.delete("revoke", "/api/v1/gifts/:giftId", {
      params: { giftId: GiftId },
      query: GiftRevocation.fields,
      success: Gift,
      error: inJson(NotFound, "not_found")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Revoke a gift",
        description:
          "Revokes a gift: from now on it cannot be redeemed. Readers who redeemed it keep their access, unless `redeemed` is `revoke`. A repeat returns the gift and never restores access."
      })
    ),
    HttpApiEndpoint.post("redeem", "/api/v1/gifts/redemptions", {
      payload: GiftTokenRequest,
      success: GiftRedemption,
      error: [
        inJson(GiftInvalid, "gift_invalid"),
        inJson(GiftExpired, "gift_expired"),
        inJson(GiftRevoked, "gift_revoked"),
        inJson(GiftExhausted, "gift_exhausted"),
        inJson(PostWithdrawn, "post_withdrawn"),
        inJson(PostIsFree, "post_is_free"),
        inJson(AlreadyPurchased, "already_purchased")
      ]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Redeem a gift for the account",
        description:
          "Redeems a gift for the account, which can then read the Post at its access URL. It counts once for each account, and a repeat returns the first redemption. Without an account, send the token as X-Gift-Token to the access URL instead. All wrong tokens get the same answer, and an address may send at most 30 of them a minute."
      })
    ),
    HttpApiEndpoint.post("claim", "/api/v1/gifts/claims", {
      payload: GiftClaim,
      success: GiftRedemption,
      error: [inJson(ReceiptInvalid, "receipt_invalid"), inJson(AlreadyOwned, "already_owned")]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Claim a redeemed gift for the account",
        description:
          "Adds a gift that was redeemed without an account to this account, by its receipt. The account can then read the Post at its access URL, for as long as other readers of the gift. The receipt still works, and nothing is counted again. A repeat returns the same redemption. Another account, and one that has the Post or redeemed the same gift, gets a 409 `already_owned`."
      })
    )
  )
  .annotateEndpointsMerge(rateLimit("account"))
  .middleware(JsonRateLimits)
  .middleware(OwnerSession)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({ title: "Gifts", description: "Give paid Posts away, and redeem gifts" })
  ) {}
