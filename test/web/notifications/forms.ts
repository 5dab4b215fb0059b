import { Effect } from "effect"
import { commenterOf } from "../../support/actors/commenter.ts"
import { TestClient } from "../../support/TestClient.ts"
import type { DeskAuthor, DeskForm } from "../desk/DeskForm.ts"

/** Publishes a post of another account, whose discussion the author may mute. */
const postOf = ({ number }: DeskAuthor) =>
  Effect.flatMap(commenterOf(number + 1_000), (other) => other.published())

/** Returns the id of a notification of the author. */
const notified = Effect.fnUntraced(function* ({ number, token }: DeskAuthor) {
  const client = yield* TestClient
  const { accessToken } = yield* commenterOf(number + 1_000)
  const { body } = yield* client.send("GET", "/api/v1/me", { token })
  yield* client.send("PUT", `/api/v1/follows/${body.owner.id}`, {
    token: accessToken,
    body: { following: true }
  })
  const feed = yield* client.send("GET", "/api/v1/notifications", { token })
  return feed.body.notifications[0].id as string
})

/** The forms about notifications. */
export const forms: ReadonlyArray<DeskForm> = [
  {
    name: "mark a notification as read",
    request: (author) =>
      Effect.map(notified(author), (id) => ({ path: "/desk/notifications/read", fields: { ids: id } }))
  },
  {
    name: "mark all notifications as read",
    request: (author) =>
      Effect.as(notified(author), { path: "/desk/notifications/read", fields: { ids: "all" } })
  },
  {
    name: "mute a discussion",
    request: (author) =>
      Effect.map(postOf(author), ({ id }) => ({
        path: "/desk/notifications/mute",
        fields: { post: id, muted: "yes" }
      }))
  },
  {
    name: "choose notifications",
    request: () =>
      Effect.succeed({
        path: "/desk/notifications/settings",
        fields: { email_notifications: "on", notify_new_follow: "on", in_app_notifications: "on" }
      })
  }
]
