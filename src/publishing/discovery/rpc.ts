import { Effect } from "effect"
import { DiscoveryRpcs } from "../../../schemas/publishing/discovery/rpc.ts"
import { Discovery } from "./Discovery.ts"

/** Handlers of the procedures for public reads. */
export const DiscoveryRpc = DiscoveryRpcs.toLayer(
  Effect.map(Discovery, (discovery) =>
    DiscoveryRpcs.of({
      "discovery.posts": (query) => discovery.posts(query),
      "discovery.post": ({ postId }) => discovery.post(postId),
      "discovery.publicContent": ({ postId }) => discovery.publicContent(postId),
      "discovery.related": ({ postId, query }) => discovery.related(postId, query),
      "discovery.profile": ({ handle }) => discovery.profile(handle),
      "discovery.profileSummary": ({ handle }) => discovery.profileSummary(handle),
      "discovery.profilePosts": ({ handle, query }) => discovery.profilePosts(handle, query),
      "discovery.categories": () => discovery.categories,
      "discovery.categoryCounts": () => discovery.categoryCounts
    })
  )
)
