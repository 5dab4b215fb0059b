import { Effect, Option, Redacted, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { Viewer } from "../../../schemas/platform/security/authorities.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { clientOf } from "../../platform/rate-limits/clientAddress.ts"
import { Settings } from "../../platform/settings/Settings.ts"
import { makeMarkLedger, paymentOfRequest, type Reasons, tellingPayer } from "../x402/http.ts"
import type { ShownPayment } from "../x402/readPayment.ts"
import { Access, type AccessRefusal } from "./Access.ts"

const reasons: Reasons<AccessRefusal> = {
  GiftExhausted: "gift_exhausted",
  GiftExpired: "gift_expired",
  GiftInvalid: "gift_invalid",
  GiftRevoked: "gift_revoked",
  InvalidPayload: "invalid_payload",
  InvalidX402Version: "invalid_x402_version",
  LedgerAway: "ledger_unavailable",
  NotFound: "not_found",
  PaymentIdentifierConflict: "payment_identifier_conflict",
  PaymentsDisabled: "payments_disabled",
  PostWithdrawn: "post_withdrawn",
  RateLimited: "rate_limited",
  ReceiptInvalid: "receipt_invalid"
}

const secret = (header: string | undefined) => (header === undefined ? undefined : Redacted.make(header))

/** Reads the payment of a request. HEAD settles and redeems nothing: it answers like a GET without a payment and a gift. */
const paymentOf = ({ method }: HttpServerRequest.HttpServerRequest) =>
  method === "HEAD"
    ? Effect.undefined
    : paymentOfRequest.pipe(
        Effect.map(Option.map((payment): ShownPayment => Result.succeed(payment))),
        Effect.catch((error) => Effect.succeedSome<ShownPayment>(Result.fail(error))),
        Effect.map(Option.getOrUndefined)
      )

export const AccessHttp = HttpApiBuilder.group(
  Api,
  "access",
  Effect.fnUntraced(function* (handlers) {
    const access = yield* Access
    const { network } = yield* NanoLedger
    const markLedger = yield* makeMarkLedger
    const { trustedProxies } = yield* Settings

    return handlers.handleAll({
      read: Effect.fnUntraced(function* ({ headers, params: { postId }, query, request }) {
        yield* markLedger
        const { ownerId } = yield* Viewer
        const payment = yield* paymentOf(request)
        const token = secret(headers["x-gift-token"])
        const answer = access.read({
          postId,
          ownerId,
          version: query.version ?? "current",
          receipt: secret(headers["x-purchase-receipt"]),
          gift:
            token === undefined || request.method === "HEAD"
              ? undefined
              : { token, idempotencyKey: Option.fromUndefinedOr(headers["idempotency-key"]) },
          payment,
          client: clientOf(request, trustedProxies)
        })
        return yield* tellingPayer(answer, { payment, network, reasons })
      })
    })
  })
)
