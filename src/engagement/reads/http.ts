import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { CurrentPublisher } from "../../../schemas/platform/security/authorities.ts"
import { ReadStats } from "./ReadStats.ts"

export const ReadStatsHttp = HttpApiBuilder.group(
  Api,
  "readStats",
  Effect.fnUntraced(function* (handlers) {
    const stats = yield* ReadStats

    return handlers.handleAll({
      posts: Effect.fnUntraced(function* ({ query }) {
        return yield* stats.posts(yield* CurrentPublisher, query)
      }),
      days: Effect.fnUntraced(function* ({ params, query }) {
        return yield* stats.days(yield* CurrentPublisher, params.postId, query)
      })
    })
  })
)
