import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { CurrentOwner } from "../../../schemas/platform/security/authorities.ts"
import { Notifications } from "./feed/Notifications.ts"
import { PostMutes } from "./mutes/PostMutes.ts"
import { Preferences } from "./preferences/Preferences.ts"

/** The operations on notifications of spec 4.6. */
export const NotificationsHttp = HttpApiBuilder.group(
  Api,
  "notifications",
  Effect.fnUntraced(function* (handlers) {
    const notifications = yield* Notifications
    const mutes = yield* PostMutes
    const preferences = yield* Preferences

    return handlers.handleAll({
      preferences: Effect.fnUntraced(function* () {
        return yield* preferences.read(yield* CurrentOwner)
      }),
      savePreferences: Effect.fnUntraced(function* ({ payload }) {
        return yield* preferences.save(yield* CurrentOwner, payload)
      }),
      feed: Effect.fnUntraced(function* ({ query }) {
        return yield* notifications.feed(yield* CurrentOwner, query)
      }),
      markRead: Effect.fnUntraced(function* ({ payload }) {
        return yield* notifications.markRead(yield* CurrentOwner, payload.ids)
      }),
      markContextRead: Effect.fnUntraced(function* ({ payload }) {
        return yield* notifications.markContextRead(yield* CurrentOwner, payload.context)
      }),
      markAllRead: Effect.fnUntraced(function* () {
        return yield* notifications.markAllRead(yield* CurrentOwner)
      }),
      mute: Effect.fnUntraced(function* ({ params }) {
        return yield* mutes.read(yield* CurrentOwner, params.postId)
      }),
      saveMute: Effect.fnUntraced(function* ({ params, payload }) {
        return yield* mutes.save(yield* CurrentOwner, params.postId, payload)
      })
    })
  })
)
