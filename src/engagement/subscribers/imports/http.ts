import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../../schemas/Api.ts"
import { CurrentOwner } from "../../../../schemas/platform/security/authorities.ts"
import { SubscriberImports } from "./SubscriberImports.ts"

export const SubscriberImportsHttp = HttpApiBuilder.group(
  Api,
  "subscriberImports",
  Effect.fnUntraced(function* (handlers) {
    const imports = yield* SubscriberImports
    return handlers.handleAll({
      add: Effect.fnUntraced(function* ({ payload }) {
        return yield* imports.add(yield* CurrentOwner, payload)
      })
    })
  })
)
