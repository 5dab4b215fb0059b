import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { CurrentOwner } from "../../../schemas/platform/security/authorities.ts"
import { PayoutAddresses } from "./PayoutAddresses.ts"

/** The payout operations of spec 4.1. */
export const PayoutAddressHttp = HttpApiBuilder.group(
  Api,
  "payoutAddress",
  Effect.fnUntraced(function* (handlers) {
    const payoutAddresses = yield* PayoutAddresses

    return handlers.handleAll({
      read: Effect.fnUntraced(function* () {
        return yield* payoutAddresses.read(yield* CurrentOwner)
      }),
      save: Effect.fnUntraced(function* ({ payload }) {
        return yield* payoutAddresses.save(yield* CurrentOwner, payload)
      })
    })
  })
)
