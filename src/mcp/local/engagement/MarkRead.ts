import { Effect } from "effect"
import type { MarkReadArguments } from "../../../../schemas/mcp/local/notificationTools.ts"
import { NotificationId } from "../../../../schemas/platform/Ids.ts"
import { makeOperation } from "../intents/Operation.ts"
import { repeatable } from "../service/retries.ts"
import { ServiceApi } from "../service/ServiceApi.ts"
import { Sessions } from "../service/Sessions.ts"

type Args = Omit<MarkReadArguments, "intent_id">

/** Makes the operation that marks notifications as read: the same request sets the same state. */
export const makeMarkRead = Effect.gen(function* () {
  const sessions = yield* Sessions
  const { client } = yield* ServiceApi

  return makeOperation<Args, { readonly updated: number }>({
    tool: "svc_notifications_mark_read",
    send: ({ args }) =>
      sessions.asOwner(
        repeatable(
          client.notifications.markRead({
            payload: { ids: args.ids.map((id) => NotificationId.make(id.toLowerCase())) }
          })
        )
      )
  })
})
