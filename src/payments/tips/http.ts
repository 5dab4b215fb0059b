import { Effect, Option, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import type { TipDraft } from "../../../schemas/payments/tips/Tip.ts"
import { Viewer } from "../../../schemas/platform/security/authorities.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { clientOf } from "../../platform/rate-limits/clientAddress.ts"
import { Settings } from "../../platform/settings/Settings.ts"
import {
  askingForPayment,
  makeMarkLedger,
  paymentOfRequest,
  type Reasons,
  tellingPayer
} from "../x402/http.ts"
import type { NamedTipTarget } from "./namedTipTarget.ts"
import { Tipping, type TipRefusal } from "./Tipping.ts"

const reasons: Reasons<TipRefusal> = {
  LedgerAway: "ledger_unavailable",
  NotFound: "not_found",
  OwnTipTarget: "own_target",
  PaymentIdentifierConflict: "payment_identifier_conflict",
  PaymentsDisabled: "payments_disabled",
  RateLimited: "rate_limited",
  TippingUnavailable: "tipping_unavailable",
  Validation: "validation"
}

export const TippingHttp = HttpApiBuilder.group(
  Api,
  "tipping",
  Effect.fnUntraced(function* (handlers) {
    const tipping = yield* Tipping
    const { network } = yield* NanoLedger
    const markLedger = yield* makeMarkLedger
    const { trustedProxies } = yield* Settings

    const tip = Effect.fnUntraced(function* (
      target: NamedTipTarget,
      draft: TipDraft,
      request: HttpServerRequest.HttpServerRequest
    ) {
      yield* markLedger
      const { ownerId: payerId } = yield* Viewer
      const payment = Option.getOrUndefined(yield* paymentOfRequest)
      const client = clientOf(request, trustedProxies)
      return yield* tellingPayer(tipping.tip({ target, draft, payerId, payment, client }), {
        payment: payment === undefined ? undefined : Result.succeed(payment),
        network,
        reasons
      })
    }, askingForPayment)

    return handlers.handleAll({
      post: ({ params: { postId }, payload, request }) => tip({ kind: "post", postId }, payload, request),
      comment: ({ params: { commentId }, payload, request }) =>
        tip({ kind: "comment", commentId }, payload, request),
      profile: ({ params: { handle }, payload, request }) =>
        tip({ kind: "profile", handle: handle.replace(/^@/, "") }, payload, request)
    })
  })
)
