import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { CurrentOwner } from "../../../schemas/platform/security/authorities.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { clientOf } from "../../platform/rate-limits/clientAddress.ts"
import { AccountEmail } from "./AccountEmail.ts"

/** The e-mail operations of spec 4.1. */
export const AccountEmailHttp = HttpApiBuilder.group(
  Api,
  "accountEmail",
  Effect.fnUntraced(function* (handlers) {
    const accountEmail = yield* AccountEmail
    const { trustedProxies } = yield* Settings

    return handlers.handleAll({
      read: Effect.fnUntraced(function* () {
        return yield* accountEmail.read(yield* CurrentOwner)
      }),
      change: Effect.fnUntraced(function* ({ payload, request }) {
        return yield* accountEmail.change(
          yield* CurrentOwner,
          payload.email,
          clientOf(request, trustedProxies)
        )
      }),
      resend: Effect.fnUntraced(function* ({ request }) {
        return yield* accountEmail.resend(yield* CurrentOwner, clientOf(request, trustedProxies))
      }),
      verify: Effect.fnUntraced(function* ({ payload }) {
        return yield* accountEmail.verify(yield* CurrentOwner, payload)
      })
    })
  })
)
