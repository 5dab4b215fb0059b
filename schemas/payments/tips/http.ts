import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { NotFound } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { CommentId, PostId } from "../../platform/Ids.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OptionalOwner, PublicRead } from "../../platform/security/middleware.ts"
import { OwnTipTarget, TippingUnavailable } from "../sessions/errors.ts"
import { paymentErrors } from "../x402/http.ts"
import { quotedPayment } from "../x402/paymentInfo.ts"
import { PAYMENT_DESCRIPTION } from "../x402/PaymentPayload.ts"
import { PaidTip, TipDraft } from "./Tip.ts"
import { CommentSupporter, TipActivity } from "./TipActivity.ts"

const tip = {
  headers: {
    "payment-signature": Schema.optionalKey(Schema.String.annotate({ description: PAYMENT_DESCRIPTION }))
  },
  payload: TipDraft,
  success: PaidTip,
  error: [
    inJson(NotFound, "not_found"),
    inJson(TippingUnavailable, "tipping_unavailable"),
    inJson(OwnTipTarget, "own_tip_target"),
    ...paymentErrors
  ]
} as const

/** Tips by x402: each operation answers 402 with its terms, and takes the payment when it is repeated. */
export class TippingApi extends HttpApiGroup.make("tipping")
  .add(
    HttpApiEndpoint.post("post", "/api/posts/:postId/tips", {
      params: { postId: PostId },
      ...tip
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Tip the author of a Post",
        description:
          "Tips the author of a published Post, free or paid. Without a payment, or with a payment that is refused, the answer is a 402 with the terms. Sign a block for exactly that amount, and repeat the request with PAYMENT-SIGNATURE. Repeating a payment returns its tip. After a 503, repeat the very same request."
      })
    ),
    HttpApiEndpoint.post("comment", "/api/comments/:commentId/tips", {
      params: { commentId: CommentId },
      ...tip
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Tip the author of a Comment",
        description:
          "Tips the author of a visible Comment. Without a payment, or with a payment that is refused, the answer is a 402 with the terms. Sign a block for exactly that amount, and repeat the request with PAYMENT-SIGNATURE. Repeating a payment returns its tip. After a 503, repeat the very same request."
      })
    ),
    HttpApiEndpoint.post("profile", "/api/profile/:handle/tips", {
      params: { handle: Schema.String },
      ...tip
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Tip the owner of a Profile",
        description:
          "Tips the owner of a Profile. Without a payment, or with a payment that is refused, the answer is a 402 with the terms. Sign a block for exactly that amount, and repeat the request with PAYMENT-SIGNATURE. Repeating a payment returns its tip. After a 503, repeat the very same request."
      })
    )
  )
  .annotateEndpointsMerge(quotedPayment)
  .annotateEndpointsMerge(rateLimit("access"))
  .middleware(JsonRateLimits)
  .middleware(OptionalOwner)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Tipping",
      description: "Tips by x402 for Posts, Comments and Profiles"
    })
  ) {}

/** Tips as anyone sees them (spec 4.5). */
export class TipsApi extends HttpApiGroup.make("tips")
  .add(
    HttpApiEndpoint.get("activities", "/api/posts/:postId/tip-activities", {
      params: { postId: PostId },
      success: Schema.Array(TipActivity),
      error: inJson(NotFound, "not_found")
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "List the newest tips for a Post",
          description:
            "Returns the newest 200 tips for a Post and its Comments with their exact amounts. A withdrawn Post is not found."
        })
      )
      .annotateMerge(rateLimit("public-read")),
    HttpApiEndpoint.get("supporters", "/api/posts/:postId/comments/:commentId/tips/supporters", {
      params: { postId: PostId, commentId: CommentId },
      success: Schema.Array(CommentSupporter),
      error: inJson(NotFound, "not_found")
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "List the supporters of a Comment",
          description: "Returns at most 200 direct supporters of a visible Comment, largest sum first."
        })
      )
      .annotateMerge(rateLimit("reaction-read"))
  )
  .middleware(JsonRateLimits)
  .middleware(PublicRead)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Tips",
      description: "Tips for Posts and Comments that are public"
    })
  ) {}
