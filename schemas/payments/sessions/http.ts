import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { IdempotencyConflict, NotFound } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { PaymentSessionId } from "../../platform/Ids.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OptionalOwner } from "../../platform/security/middleware.ts"
import { PaymentsDisabled } from "../x402/errors.ts"
import { AlreadyPurchased, OwnTipTarget, PostIsFree, SessionInvalid, TippingUnavailable } from "./errors.ts"
import {
  NewPaymentSession,
  PaymentSession,
  PaymentSessionDraft,
  ReplayedPaymentSession,
  SentPayment,
  SessionIdempotencyKey,
  SessionWaitQuery
} from "./PaymentSession.ts"

const params = { sessionId: PaymentSessionId }

/** The token of the session. The owner who made it may leave it out. */
const headers = { "x-session-token": Schema.optionalKey(Schema.String) }

const error = [inJson(NotFound, "not_found"), inJson(SessionInvalid, "session_invalid")] as const

const Svg = Schema.String.pipe(HttpApiSchema.asText({ contentType: "image/svg+xml" }))

/** Checkouts by QR code for any Nano wallet. */
export class PaymentSessionsApi extends HttpApiGroup.make("paymentSessions")
  .add(
    HttpApiEndpoint.post("create", "/api/payment-sessions", {
      headers: { "idempotency-key": SessionIdempotencyKey },
      payload: PaymentSessionDraft,
      success: [NewPaymentSession, ReplayedPaymentSession],
      error: [
        inJson(NotFound, "not_found"),
        inJson(AlreadyPurchased, "already_purchased"),
        inJson(PostIsFree, "post_is_free"),
        inJson(TippingUnavailable, "tipping_unavailable"),
        inJson(OwnTipTarget, "own_tip_target"),
        inJson(IdempotencyConflict, "idempotency_key_conflict"),
        inJson(PaymentsDisabled, "payments_disabled")
      ]
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Open a payment session",
          description:
            "Opens a checkout that any Nano wallet can pay. It buys a Post at its current price, or tips an author. Pay exactly `amountRaw` to `payTo`, within 15 minutes. A repeat with the same Idempotency-Key returns the same session and token. Keep the token: it reads the session and, once paid, its receipt."
        })
      )
      .annotateMerge(rateLimit("payment-session")),
    HttpApiEndpoint.get("read", "/api/payment-sessions/:sessionId", {
      params,
      headers,
      query: SessionWaitQuery.fields,
      success: PaymentSession,
      error
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Read a payment session",
          description:
            "Returns the session to the holder of its token, in X-Session-Token, or to the owner who created it. With `wait`, it answers when the state changes, or after that many seconds. `paid` is final."
        })
      )
      .annotateMerge(rateLimit("access")),
    HttpApiEndpoint.post("saySent", "/api/payment-sessions/:sessionId/sent", {
      params,
      headers,
      payload: SentPayment,
      success: PaymentSession,
      error
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Say that you have paid",
          description:
            "For wallets and exchanges that round the amount. The exact `amountRaw` does not need this request. An amount without its last digits pays a tip, or the purchase of an account. This request must come at least a second after the payment. You must wait for it: within 30 seconds of this request, or of a read with `wait`. It must be the only open session of its amount. A purchase without an account needs the exact amount. Send the request again after a later payment, or to change `payer`."
        })
      )
      .annotateMerge(rateLimit("access")),
    HttpApiEndpoint.delete("cancel", "/api/payment-sessions/:sessionId", {
      params,
      headers,
      success: PaymentSession,
      error
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Cancel a payment session",
          description:
            "Cancels an open session. Its exact amount still counts, as a late payment, until `lateUntil`, because a sent payment cannot be taken back. A repeat returns the session."
        })
      )
      .annotateMerge(rateLimit("access")),
    HttpApiEndpoint.get("qr", "/api/payment-sessions/:sessionId/qr.svg", {
      params,
      headers,
      success: HttpApiSchema.WithHeaders(Svg, { "content-security-policy": Schema.String }),
      error
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Draw a payment as a QR code",
          description: "Draws the `uri` of the session as a QR code in SVG, without the token."
        })
      )
      .annotateMerge(rateLimit("access"))
  )
  .middleware(JsonRateLimits)
  .middleware(OptionalOwner)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Payment sessions",
      description: "Pay for a Post, or tip, with any Nano wallet"
    })
  ) {}
