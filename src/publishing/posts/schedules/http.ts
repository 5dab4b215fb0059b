import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../../schemas/Api.ts"
import { CurrentPublisher } from "../../../../schemas/platform/security/authorities.ts"
import { revisionOf } from "../revision.ts"
import { Schedules } from "./Schedules.ts"

export const SchedulesHttp = HttpApiBuilder.group(
  Api,
  "schedules",
  Effect.fnUntraced(function* (handlers) {
    const schedules = yield* Schedules

    return handlers.handleAll({
      save: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const publisher = yield* CurrentPublisher
        return yield* schedules.save(publisher, params.postId, payload, yield* revisionOf(headers))
      }),
      remove: Effect.fnUntraced(function* ({ params }) {
        return yield* schedules.remove(yield* CurrentPublisher, params.postId)
      })
    })
  })
)
