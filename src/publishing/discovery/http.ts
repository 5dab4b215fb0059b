import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { publicAnswer } from "../../platform/http/publicAnswer.ts"
import { Discovery } from "./Discovery.ts"
import { redirectFormerHandle } from "./redirectFormerHandle.ts"

export const DiscoveryHttp = HttpApiBuilder.group(
  Api,
  "discovery",
  Effect.fnUntraced(function* (handlers) {
    const discovery = yield* Discovery
    const redirect = yield* redirectFormerHandle

    return handlers.handleAll({
      posts: ({ query, request }) => publicAnswer(discovery.posts(query), request),
      post: ({ params, request }) => publicAnswer(discovery.post(params.postId), request),
      publicContent: ({ params, request }) => publicAnswer(discovery.publicContent(params.postId), request),
      profile: ({ params, request }) => redirect(publicAnswer(discovery.profile(params.handle), request)),
      profileSummary: ({ params, request }) =>
        redirect(publicAnswer(discovery.profileSummary(params.handle), request)),
      profilePosts: ({ params, query, request }) =>
        redirect(publicAnswer(discovery.profilePosts(params.handle, query), request)),
      categories: ({ request }) => publicAnswer(discovery.categories, request),
      categoryCounts: ({ request }) => publicAnswer(discovery.categoryCounts, request),
      handleAvailability: Effect.fnUntraced(function* ({ query, request }) {
        const availability = yield* discovery.handleAvailability(query.handle)
        const etag = availability.available ? "available" : "unavailable"
        return yield* publicAnswer(Effect.succeed({ text: JSON.stringify(availability), etag }), request)
      })
    })
  })
)
