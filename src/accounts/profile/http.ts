import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { TIP_AMOUNT_DECIMALS_MESSAGE } from "../../../schemas/accounts/profile/Profile.ts"
import { Api } from "../../../schemas/Api.ts"
import { Validation } from "../../../schemas/platform/errors/common.ts"
import { CurrentPublisher } from "../../../schemas/platform/security/authorities.ts"
import { Profiles } from "./Profiles.ts"
import { areWrittenAs } from "./tipAmounts.ts"

/** The operations of spec 4.2, without those on images. */
export const ProfileHttp = HttpApiBuilder.group(
  Api,
  "profile",
  Effect.fnUntraced(function* (handlers) {
    const profiles = yield* Profiles

    return handlers.handleAll({
      read: Effect.fnUntraced(function* () {
        return yield* profiles.read(yield* CurrentPublisher)
      }),
      update: Effect.fnUntraced(function* ({ payload, request }) {
        const amounts = payload.tipping?.amounts
        if (amounts !== undefined && !areWrittenAs(amounts, yield* Effect.orDie(request.text))) {
          return yield* inexactAmounts()
        }
        return yield* profiles.update(yield* CurrentPublisher, payload)
      }),
      declareAgent: Effect.fnUntraced(function* () {
        return yield* profiles.declareAgent(yield* CurrentPublisher)
      })
    })
  })
)

const inexactAmounts = () =>
  new Validation({
    errors: [{ field: "tipping.amounts", code: "out_of_range", message: TIP_AMOUNT_DECIMALS_MESSAGE }]
  })
