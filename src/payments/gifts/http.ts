import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { CurrentOwner } from "../../../schemas/platform/security/authorities.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { clientOf } from "../../platform/rate-limits/clientAddress.ts"
import { Gifts } from "./Gifts.ts"
import { Redemptions } from "./Redemptions.ts"

export const GiftsHttp = HttpApiBuilder.group(
  Api,
  "gifts",
  Effect.fnUntraced(function* (handlers) {
    const gifts = yield* Gifts
    const { claim, redeem } = yield* Redemptions
    const { trustedProxies } = yield* Settings

    return handlers.handleAll({
      issue: Effect.fnUntraced(function* ({ headers, payload }) {
        const { ownerId } = yield* CurrentOwner
        return yield* gifts.issue(ownerId, payload, headers["idempotency-key"])
      }),
      list: Effect.fnUntraced(function* ({ query }) {
        return yield* gifts.list((yield* CurrentOwner).ownerId, query)
      }),
      revoke: Effect.fnUntraced(function* ({ params, query }) {
        const { ownerId } = yield* CurrentOwner
        return yield* gifts.revoke(ownerId, params.giftId, query.redeemed ?? "keep")
      }),
      redeem: Effect.fnUntraced(function* ({ payload, request }) {
        const { ownerId } = yield* CurrentOwner
        return yield* redeem({
          token: Redacted.make(payload.token),
          postId: undefined,
          reader: { ownerId, client: clientOf(request, trustedProxies) },
          idempotencyKey: undefined,
          receipt: undefined
        })
      }),
      claim: Effect.fnUntraced(function* ({ payload }) {
        const { ownerId } = yield* CurrentOwner
        return yield* claim(ownerId, Redacted.make(payload.receiptToken))
      })
    })
  })
)
