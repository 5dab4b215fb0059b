import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../schemas/Api.ts"
import { publicAnswer } from "../http/publicAnswer.ts"
import { Discovery } from "./Discovery.ts"

export const DiscoveryHttp = HttpApiBuilder.group(
  Api,
  "discovery",
  Effect.fnUntraced(function* (handlers) {
    const discovery = yield* Discovery

    return handlers.handleAll({
      posts: ({ query, request }) =>
        Effect.flatMap(discovery.posts(query), (json) => publicAnswer(json, request)),
      post: ({ params, request }) =>
        Effect.flatMap(discovery.post(params.postId), (json) => publicAnswer(json, request)),
      publicContent: ({ params, request }) =>
        Effect.flatMap(discovery.publicContent(params.postId), (json) => publicAnswer(json, request)),
      profile: ({ params, request }) =>
        Effect.flatMap(discovery.profile(params.handle), (json) => publicAnswer(json, request)),
      profileSummary: ({ params, request }) =>
        Effect.flatMap(discovery.profileSummary(params.handle), (json) => publicAnswer(json, request)),
      profilePosts: ({ params, query, request }) =>
        Effect.flatMap(discovery.profilePosts(params.handle, query), (json) => publicAnswer(json, request)),
      categories: ({ request }) =>
        Effect.flatMap(discovery.categories, (json) => publicAnswer(json, request)),
      categoryCounts: ({ request }) =>
        Effect.flatMap(discovery.categoryCounts, (json) => publicAnswer(json, request)),
      handleAvailability: Effect.fnUntraced(function* ({ query, request }) {
        const availability = yield* discovery.handleAvailability(query.handle)
        const etag = availability.available ? "available" : "unavailable"
        return yield* publicAnswer({ text: JSON.stringify(availability), etag }, request)
      })
    })
  })
)
