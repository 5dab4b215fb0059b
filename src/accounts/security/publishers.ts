import { Effect, Option, type Redacted } from "effect"
import { Unauthorized } from "../../../schemas/platform/errors/common.ts"
import { ApiKeys } from "../api-keys/ApiKeys.ts"
import { refusalOf } from "./refusals.ts"

/** Makes the check of a Publishing key, the one for operations and procedures. Fails for a key that is not active. */
export const makePublisherOf = Effect.map(ApiKeys, (apiKeys) =>
  Effect.fnUntraced(function* (credential: Redacted.Redacted) {
    const publisher = yield* apiKeys.authenticate(credential)
    if (Option.isSome(publisher)) return publisher.value
    return yield* new Unauthorized({ detail: refusalOf("Publishing key", credential) })
  })
)
