import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { CurrentCredential } from "../../../schemas/platform/security/authorities.ts"
import { Me } from "./Me.ts"

/** `GET /api/v1/me` for either credential (spec 2.6, 5.2). */
export const MeHttp = HttpApiBuilder.group(
  Api,
  "me",
  Effect.fnUntraced(function* (handlers) {
    const me = yield* Me

    return handlers.handleAll({
      read: Effect.fnUntraced(function* () {
        const credential = yield* CurrentCredential
        return credential.kind === "owner_session"
          ? yield* me.ofOwner(credential.owner)
          : yield* me.ofPublisher(credential.publisher)
      })
    })
  })
)
