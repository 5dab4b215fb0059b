import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { CommentId, PostId } from "../../../schemas/platform/Ids.ts"
import { succeeding } from "../derivedClient.ts"
import { TestClient } from "../TestClient.ts"
import { authorOf } from "./author.ts"

let keys = 0

/** Choices of a Comment; a key of its own unless `key` names one. */
export interface CommentOptions {
  readonly key?: string
  readonly parent?: string | null
  readonly target?: string | null
}

const commentId = (id: string | null) => (id === null ? null : CommentId.make(id))

/** Signs in the `number`th author of a test file. Returns their Comments over the wire. */
export const commenterOf = Effect.fnUntraced(function* (number: number) {
  const client = yield* TestClient
  const author = yield* authorOf(number)
  const { accessToken: token } = author

  const append = (postId: string, content: unknown, { key, parent, target }: CommentOptions = {}) =>
    client.send("POST", `/api/v1/posts/${postId}/comments`, {
      token,
      headers: { "idempotency-key": key ?? `comment-${keys++}` },
      body: {
        content,
        ...(parent === undefined ? {} : { parentCommentId: parent }),
        ...(target === undefined ? {} : { replyTargetCommentId: target })
      }
    })

  const succeed = yield* succeeding(token)

  return {
    ...author,
    append,
    /** Appends a Comment and returns it. */
    say: Effect.fnUntraced(function* (postId: string, content: string, options: CommentOptions = {}) {
      const { key, parent, target } = options
      const comment = yield* succeed(({ comments }) =>
        comments.append({
          params: { postId: PostId.make(postId) },
          headers: { "idempotency-key": key ?? `comment-${keys++}` },
          payload: {
            content,
            ...(parent === undefined ? {} : { parentCommentId: commentId(parent) }),
            ...(target === undefined ? {} : { replyTargetCommentId: commentId(target) })
          }
        })
      )
      assert.isFalse(comment.replayed)
      return comment
    }),
    comment: (id: string) => client.send("GET", `/api/v1/comments/${id}`, { token }),
    removeComment: (id: string) => client.send("DELETE", `/api/v1/comments/${id}`, { token }),
    comments: (postId: string, query = "") =>
      client.send("GET", `/api/v1/posts/${postId}/comments${query}`, { token })
  }
})
export type Commenter = Effect.Success<ReturnType<typeof commenterOf>>

/** Reads a discussion without a credential. */
export const discussion = Effect.fnUntraced(function* (postId: string, query = "") {
  return yield* (yield* TestClient).send("GET", `/api/posts/${postId}/comments${query}`)
})
