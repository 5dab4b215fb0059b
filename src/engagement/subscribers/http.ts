import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { CurrentOwner } from "../../../schemas/platform/security/authorities.ts"
import { Subscribers } from "./Subscribers.ts"

export const SubscriptionsHttp = HttpApiBuilder.group(
  Api,
  "subscriptions",
  Effect.fnUntraced(function* (handlers) {
    const subscribers = yield* Subscribers
    return handlers.handleAll({
      subscribe: ({ params, payload }) => subscribers.subscribe(params.handle, payload.email)
    })
  })
)

export const SubscribersHttp = HttpApiBuilder.group(
  Api,
  "subscribers",
  Effect.fnUntraced(function* (handlers) {
    const subscribers = yield* Subscribers
    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        return yield* subscribers.list(yield* CurrentOwner, query)
      }),
      export: Effect.fnUntraced(function* () {
        return HttpServerResponse.stream(Stream.encodeText(subscribers.exported(yield* CurrentOwner)), {
          contentType: "text/csv; charset=utf-8",
          headers: { "content-disposition": 'attachment; filename="pennypress-readers.csv"' }
        })
      }),
      remove: Effect.fnUntraced(function* ({ params }) {
        yield* subscribers.remove(yield* CurrentOwner, params.subscriberId)
      })
    })
  })
)
