import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../schemas/Api.ts"
import { CurrentPublisher } from "../../schemas/security/authorities.ts"
import { Profiles } from "./Profiles.ts"

/** The operations of specification 4.2, without those on images. */
export const ProfileHttp = HttpApiBuilder.group(
  Api,
  "profile",
  Effect.fnUntraced(function* (handlers) {
    const profiles = yield* Profiles

    return handlers.handleAll({
      read: Effect.fnUntraced(function* () {
        return yield* profiles.read(yield* CurrentPublisher)
      }),
      update: Effect.fnUntraced(function* ({ payload }) {
        return yield* profiles.update(yield* CurrentPublisher, payload)
      }),
      declareAgent: Effect.fnUntraced(function* () {
        return yield* profiles.declareAgent(yield* CurrentPublisher)
      })
    })
  })
)
