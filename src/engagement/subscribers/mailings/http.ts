import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../../schemas/Api.ts"
import { CurrentPublisher } from "../../../../schemas/platform/security/authorities.ts"
import { Mailings } from "./Mailings.ts"

export const MailingsHttp = HttpApiBuilder.group(
  Api,
  "mailings",
  Effect.fnUntraced(function* (handlers) {
    const mailings = yield* Mailings
    return handlers.handleAll({
      read: Effect.fnUntraced(function* ({ params }) {
        return yield* mailings.read(yield* CurrentPublisher, params.postId)
      }),
      act: Effect.fnUntraced(function* ({ params, payload }) {
        return yield* mailings.act(yield* CurrentPublisher, params.postId, payload.action)
      })
    })
  })
)
