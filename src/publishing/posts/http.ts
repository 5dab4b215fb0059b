import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { CurrentPublisher } from "../../../schemas/platform/security/authorities.ts"
import { privateJson } from "../../platform/http/jsonAnswer.ts"
import { setRateLimitHeaders, asProblem } from "../../platform/rate-limits/http.ts"
import { Posts } from "./Posts.ts"
import { Publishing } from "./Publishing.ts"
import { revisionOf } from "./revision.ts"

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
        return privateJson(post, { status: 201, replayed })
      }, asProblem),
      list: Effect.fnUntraced(function* ({ query }) {
        return privateJson(yield* posts.list(yield* CurrentPublisher, query))
      }),
      read: Effect.fnUntraced(function* ({ params }) {
        return privateJson(yield* posts.read(yield* CurrentPublisher, params.postId))
      }),
      update: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const publisher = yield* CurrentPublisher
        const revision = yield* revisionOf(headers)
        return privateJson(yield* posts.update(publisher, params.postId, payload, revision))
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
        return privateJson({ text: JSON.stringify(value) }, { replayed })
      }),
      unpublish: Effect.fnUntraced(function* ({ headers, params }) {
        const publisher = yield* CurrentPublisher
        const { replayed, value } = yield* publishing.unpublish(
          publisher,
          params.postId,
          headers["idempotency-key"]
        )
        return privateJson({ text: JSON.stringify(value) }, { replayed })
      })
    })
  })
)
