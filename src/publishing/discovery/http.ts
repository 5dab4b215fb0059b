import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { makePublicAnswer } from "../../platform/http/publicAnswer.ts"
import { Discovery } from "./Discovery.ts"
import * as reads from "./publicReads.ts"
import { redirectFormerHandle } from "./redirectFormerHandle.ts"

export const DiscoveryHttp = HttpApiBuilder.group(
  Api,
  "discovery",
  Effect.fnUntraced(function* (handlers) {
    const discovery = yield* Discovery
    const redirect = yield* redirectFormerHandle
    const answer = yield* makePublicAnswer

    return handlers.handleAll({
      posts: ({ query, request }) => answer(request, reads.posts(query), discovery.posts(query)),
      post: ({ params: { postId }, request }) => answer(request, reads.post(postId), discovery.post(postId)),
      publicContent: ({ params: { postId }, request }) =>
        answer(request, reads.publicContent(postId), discovery.publicContent(postId)),
      related: ({ params: { postId }, query, request }) =>
        answer(request, reads.related(postId, query), discovery.related(postId, query)),
      profile: ({ params: { handle }, request }) =>
        redirect(answer(request, reads.profile(handle), discovery.profile(handle))),
      profileSummary: ({ params: { handle }, request }) =>
        redirect(answer(request, reads.profileSummary(handle), discovery.profileSummary(handle))),
      profilePosts: ({ params: { handle }, query, request }) =>
        redirect(answer(request, reads.profilePosts(handle, query), discovery.profilePosts(handle, query))),
      categories: ({ request }) => answer(request, reads.categories, discovery.categories),
      categoryCounts: ({ request }) => answer(request, reads.categoryCounts, discovery.categoryCounts),
      handleAvailability: ({ query: { handle }, request }) =>
        answer(request, reads.handleAvailability(handle), discovery.handleAvailability(handle))
    })
  })
)
