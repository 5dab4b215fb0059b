import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { NotFound } from "../errors/common.ts"
import { JsonFamily } from "../errors/families.ts"
import { PostId } from "../Ids.ts"
import { PublicRead } from "../security/middleware.ts"
import { atMost, Text } from "../Text.ts"
import {
  Categories,
  CategoryCounts,
  HandleAvailability,
  PublicContent,
  PublicPost,
  PublicProfile,
  PublicProfileSummary,
  Summaries
} from "./Discovery.ts"
import { paging, SummaryQuery } from "./query.ts"

const postId = { postId: PostId }
const handle = { handle: Schema.String }

export class DiscoveryApi extends HttpApiGroup.make("discovery")
  .add(
    HttpApiEndpoint.get("posts", "/api/posts", { query: SummaryQuery.fields, success: Summaries }),
    HttpApiEndpoint.get("post", "/api/posts/:postId", {
      params: postId,
      success: PublicPost,
      error: NotFound
    }),
    HttpApiEndpoint.get("publicContent", "/api/posts/:postId/public-content", {
      params: postId,
      success: PublicContent,
      error: NotFound
    }),
    HttpApiEndpoint.get("categories", "/api/categories", { success: Categories }),
    HttpApiEndpoint.get("categoryCounts", "/api/browse/categories", { success: CategoryCounts }),
    HttpApiEndpoint.get("handleAvailability", "/api/profile/handle-availability", {
      query: { handle: Text.check(atMost(200)) },
      success: HandleAvailability
    }),
    HttpApiEndpoint.get("profile", "/api/profile/:handle", {
      params: handle,
      success: PublicProfile,
      error: NotFound
    }),
    HttpApiEndpoint.get("profileSummary", "/api/profile/:handle/summary", {
      params: handle,
      success: PublicProfileSummary,
      error: NotFound
    }),
    HttpApiEndpoint.get("profilePosts", "/api/profile/:handle/posts", {
      params: handle,
      query: paging,
      success: Summaries,
      error: NotFound
    })
  )
  .middleware(PublicRead)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Public reads",
      description: "Discovery without a credential (specification 4.5)"
    })
  ) {}
