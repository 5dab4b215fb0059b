import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { CurrentOwner } from "../../../schemas/platform/security/authorities.ts"
import { ApiKeys } from "./ApiKeys.ts"

export const ApiKeysHttp = HttpApiBuilder.group(
  Api,
  "apiKeys",
  Effect.fnUntraced(function* (handlers) {
    const apiKeys = yield* ApiKeys

    return handlers.handleAll({
      list: Effect.fnUntraced(function* () {
        return { keys: yield* apiKeys.list(yield* CurrentOwner) }
      }),
      issue: Effect.fnUntraced(function* ({ headers, payload }) {
        const owner = yield* CurrentOwner
        const key = headers["idempotency-key"]
        return yield* key === undefined
          ? apiKeys.issue(owner, payload)
          : apiKeys.issueOnce(owner, payload, key)
      }),
      revoke: Effect.fnUntraced(function* ({ params }) {
        return yield* apiKeys.revoke(yield* CurrentOwner, params.keyId)
      }),
      rotate: Effect.fnUntraced(function* ({ params, payload }) {
        return yield* apiKeys.rotate(yield* CurrentOwner, params.keyId, payload)
      })
    })
  })
)
