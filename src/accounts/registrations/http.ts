import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { CurrentOwner } from "../../../schemas/platform/security/authorities.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { clientOf } from "../../platform/rate-limits/clientAddress.ts"
import { Registrations } from "./Registrations.ts"

/** The registrations of spec 4.1. */
export const RegistrationsHttp = HttpApiBuilder.group(
  Api,
  "registrations",
  Effect.fnUntraced(function* (handlers) {
    const registrations = yield* Registrations
    const { trustedProxies } = yield* Settings

    return handlers.handleAll({
      register: ({ headers, payload, request }) =>
        registrations.register(headers["idempotency-key"], payload, clientOf(request, trustedProxies)),
      verify: ({ params, payload }) => registrations.verify(params.registrationId, payload.code),
      issueKey: Effect.fnUntraced(function* ({ params, payload }) {
        return yield* registrations.issueKey(yield* CurrentOwner, params.registrationId, payload)
      })
    })
  })
)
