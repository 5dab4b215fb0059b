import { Effect } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { CurrentPublisher } from "../../../schemas/platform/security/authorities.ts"
import { setRateLimitHeaders } from "../../platform/rate-limits/http.ts"
import { Posts } from "./Posts.ts"
import { Publishing } from "./Publishing.ts"
import { revisionOf } from "./revision.ts"

/** Adds the header that marks the answer to a repeated request. */
const answered = <Body>(body: Body, replayed: boolean) =>
  HttpApiSchema.withHeaders({ body, headers: replayed ? ({ "x-idempotency-replay": "true" } as const) : {} })

export const PostsHttp = HttpApiBuilder.group(
  Api,
  "posts",
  Effect.fnUntraced(function* (handlers) {
    const posts = yield* Posts
    const publishing = yield* Publishing

    return handlers.handleAll({
      create: Effect.fnUntraced(function* ({ headers, payload }) {
        const publisher = yield* CurrentPublisher
        const key = headers["idempotency-key"]
        const { post, replayed } = yield* posts.create(publisher, payload, key, setRateLimitHeaders)
        return answered(post, replayed)
      }),
      list: Effect.fnUntraced(function* ({ query }) {
        return yield* posts.list(yield* CurrentPublisher, query)
      }),
      read: Effect.fnUntraced(function* ({ params }) {
        return yield* posts.read(yield* CurrentPublisher, params.postId)
      }),
      update: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const publisher = yield* CurrentPublisher
        const revision = yield* revisionOf(headers)
        return yield* posts.update(publisher, params.postId, payload, revision)
      }),
      remove: Effect.fnUntraced(function* ({ params }) {
        yield* posts.remove(yield* CurrentPublisher, params.postId)
      }),
      publish: Effect.fnUntraced(function* ({ headers, params }) {
        const publisher = yield* CurrentPublisher
        const { replayed, value } = yield* publishing.publish(
          publisher,
          params.postId,
          headers["idempotency-key"]
        )
        return answered(value, replayed)
      }),
      unpublish: Effect.fnUntraced(function* ({ headers, params }) {
        const publisher = yield* CurrentPublisher
        const { replayed, value } = yield* publishing.unpublish(
          publisher,
          params.postId,
          headers["idempotency-key"]
        )
        return answered(value, replayed)
      })
    })
  })
)
