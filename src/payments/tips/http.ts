import { Effect, Option, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import type { TipDraft } from "../../../schemas/payments/tips/Tip.ts"
import type { SettlementResponse } from "../../../schemas/payments/x402/SettlementResponse.ts"
import { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { Viewer } from "../../../schemas/platform/security/authorities.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { clientOf } from "../../platform/rate-limits/clientAddress.ts"
import { setRetryAfter } from "../../platform/rate-limits/http.ts"
import { Settings } from "../../platform/settings/Settings.ts"
import { demandPayment, makeMarkLedger, paymentOfRequest, tellOutcome } from "../x402/http.ts"
import type { Payment } from "../x402/readPayment.ts"
import type { NamedTipTarget } from "./namedTipTarget.ts"
import { Tipping, type TipRefusal } from "./Tipping.ts"

/** Reasons by which payers know refusals: the codes of their answers. */
const reasons: Readonly<Record<TipRefusal["_tag"], string>> = {
  LedgerAway: "ledger_unavailable",
  NotFound: "not_found",
  OwnTipTarget: "own_target",
  PaymentIdentifierConflict: "payment_identifier_conflict",
  PaymentRequired: "payment_required",
  PaymentsDisabled: "payments_disabled",
  RateLimited: "rate_limited",
  SettlementPending: "settlement_pending",
  TippingUnavailable: "tipping_unavailable",
  Validation: "validation"
}

const decodeAddress = Schema.decodeUnknownOption(NanoAddress)

const outcomeOf = (error: TipRefusal, { block }: Payment, network: string): SettlementResponse => ({
  success: false,
  errorReason: error._tag === "PaymentRequired" ? error.terms.error : reasons[error._tag],
  transaction: error._tag === "SettlementPending" ? error.transaction : "",
  network,
  ...Option.match(decodeAddress(block["account"]), { onNone: () => ({}), onSome: (payer) => ({ payer }) })
})

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
      return yield* tipping.tip({ target, draft, payerId, payment, client }).pipe(
        Effect.tap(({ settlement }) => tellOutcome(settlement)),
        Effect.tapError((error) =>
          payment === undefined ? Effect.void : tellOutcome(outcomeOf(error, payment, network))
        ),
        Effect.tapError((error) => (error._tag === "SettlementPending" ? setRetryAfter(error) : Effect.void)),
        Effect.catchTag("PaymentRequired", demandPayment)
      )
    })

    return handlers.handleAll({
      post: ({ params: { postId }, payload, request }) => tip({ kind: "post", postId }, payload, request),
      comment: ({ params: { commentId }, payload, request }) =>
        tip({ kind: "comment", commentId }, payload, request),
      profile: ({ params: { handle }, payload, request }) =>
        tip({ kind: "profile", handle: handle.replace(/^@/, "") }, payload, request)
    })
  })
)
