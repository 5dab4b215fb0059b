import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { CurrentOwner } from "../../../schemas/platform/security/authorities.ts"
import { Registrations } from "./Registrations.ts"

/** The registrations of spec 4.1. */
export const RegistrationsHttp = HttpApiBuilder.group(
  Api,
  "registrations",
  Effect.fnUntraced(function* (handlers) {
    const registrations = yield* Registrations

    return handlers.handleAll({
      register: ({ headers, payload }) => registrations.register(headers["idempotency-key"], payload),
      verify: ({ params, payload }) => registrations.verify(params.registrationId, payload.code),
      issueKey: Effect.fnUntraced(function* ({ params, payload }) {
        return yield* registrations.issueKey(yield* CurrentOwner, params.registrationId, payload)
      })
    })
  })
)
