import { assert } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { CommentId, OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { signIn } from "../../support/actors/owner.ts"
import { TestClient } from "../../support/TestClient.ts"
import { tellCommented, tellFollowed } from "./told.ts"

/** Returns the UUID of this number: an id of a Post or Comment that the database does not know. */
export const numbered = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`

/** Signs in the `number`th owner of a test file. Returns their requests about notifications over the wire. */
export const readerOf = Effect.fnUntraced(function* (number: number) {
  const client = yield* TestClient
  const { accessToken: token } = yield* signIn(number)
  const me = yield* client.send("GET", "/api/v1/me", { token })
  const id = OwnerId.make(me.body.owner.id)
  const send = (method: string, path: string, body?: unknown) =>
    client.send(method, `/api/v1${path}`, body === undefined ? { token } : { token, body })

  return {
    id,
    token,
    send,
    handle: me.body.owner.handle as string,
    /** Reads a page of the feed. */
    feed: Effect.fnUntraced(function* (query = "") {
      const answer = yield* send("GET", `/notifications${query}`)
      assert.strictEqual(answer.status, 200, answer.text)
      return answer.body
    }),
    /** Reads the types and data of the unread notifications, the newest first. */
    unread: Effect.fnUntraced(function* () {
      const answer = yield* send("GET", "/notifications?limit=50")
      const rows: ReadonlyArray<{ readonly type: string; readonly data: object }> = answer.body.notifications
      return rows.map(({ data, type }) => ({ type, data }))
    }),
    mark: (how: string, body?: unknown) => send("POST", `/notifications/mark-${how}`, body),
    prefer: (body: unknown) => send("PUT", "/notification-preferences", body),
    mute: (post: string, muted: boolean) => send("PUT", `/notifications/posts/${post}/mute`, { muted }),
    /** Follows a creator silently: only the notice of a new follow is sent. */
    followedBy: Effect.fnUntraced(function* (follower: OwnerId) {
      const at = new Date(yield* Clock.currentTimeMillis)
      yield* tellFollowed(id, follower, at)
    }),
    /** Has the notice of a Comment by another owner on a Post of this one. */
    commentedBy: Effect.fnUntraced(function* (author: OwnerId, post: string, comment: string) {
      const at = new Date(yield* Clock.currentTimeMillis)
      yield* tellCommented({
        commentId: CommentId.make(comment),
        postId: PostId.make(post),
        postAuthorId: id,
        authorId: author,
        replyTargetAuthorId: null,
        at
      })
    })
  }
})
export type Reader = Effect.Success<ReturnType<typeof readerOf>>
