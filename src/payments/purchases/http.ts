import { Effect, Layer, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { CurrentOwner } from "../../../schemas/platform/security/authorities.ts"
import { setRetryAfter } from "../../platform/rate-limits/http.ts"
import { Purchases } from "./Purchases.ts"

const ofAccount = HttpApiBuilder.group(
  Api,
  "purchases",
  Effect.fnUntraced(function* (handlers) {
    const purchases = yield* Purchases

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        return yield* purchases.list((yield* CurrentOwner).ownerId, query)
      }),
      read: Effect.fnUntraced(function* ({ params }) {
        return yield* purchases.read((yield* CurrentOwner).ownerId, params.purchaseId)
      }),
      claim: Effect.fnUntraced(function* ({ payload }) {
        const { isNew, purchase } = yield* purchases
          .claim(yield* CurrentOwner, payload)
          .pipe(Effect.tapErrorTag("BlockUnconfirmed", setRetryAfter))
        return HttpServerResponse.jsonUnsafe(purchase, { status: isNew ? 201 : 200 })
      })
    })
  })
)

const byReceipt = HttpApiBuilder.group(
  Api,
  "purchaseByReceipt",
  Effect.fnUntraced(function* (handlers) {
    const purchases = yield* Purchases

    return handlers.handleAll({
      read: ({ headers, params: { purchaseId } }) =>
        purchases.byReceipt(purchaseId, Redacted.make(headers["x-purchase-receipt"]))
    })
  })
)

export const PurchasesHttp = Layer.mergeAll(ofAccount, byReceipt)
