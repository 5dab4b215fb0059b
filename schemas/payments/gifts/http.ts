import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { IdempotencyConflict, NotFound } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { GiftId } from "../../platform/Ids.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSession } from "../../platform/security/middleware.ts"
import { IdempotencyKey } from "../../platform/Text.ts"
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
    }).annotate(OpenApi.Summary, "Issue a gift"),
    HttpApiEndpoint.get("list", "/api/v1/gifts", { query: GiftsQuery.fields, success: GiftPage }).annotate(
      OpenApi.Summary,
      "List your gifts"
    ),
    HttpApiEndpoint.delete("revoke", "/api/v1/gifts/:giftId", {
      params: { giftId: GiftId },
      query: GiftRevocation.fields,
      success: Gift,
      error: inJson(NotFound, "not_found")
    }).annotate(OpenApi.Summary, "Revoke a gift"),
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
    }).annotate(OpenApi.Summary, "Redeem a gift for the account"),
    HttpApiEndpoint.post("claim", "/api/v1/gifts/claims", {
      payload: GiftClaim,
      success: GiftRedemption,
      error: [inJson(ReceiptInvalid, "receipt_invalid"), inJson(AlreadyOwned, "already_owned")]
    }).annotate(OpenApi.Summary, "Claim a redeemed gift for the account")
  )
  .annotateEndpointsMerge(rateLimit("account"))
  .middleware(JsonRateLimits)
  .middleware(OwnerSession)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({ title: "Gifts", description: "Give paid Posts away, and redeem gifts" })
  ) {}
