import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { NotFound } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { PostId } from "../../platform/Ids.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { PublicRead } from "../../platform/security/middleware.ts"
import { atMost, Text } from "../../platform/Text.ts"
import {
  Categories,
  CategoryCounts,
  HandleAvailability,
  PublicContent,
  PublicPost,
  PublicProfile,
  PublicProfileSummary,
  RelatedPosts,
  Summaries
} from "./Discovery.ts"
import { paging, RelatedQuery, SummaryQuery } from "./query.ts"

const postId = { postId: PostId }
const handle = { handle: Schema.String }

export class DiscoveryApi extends HttpApiGroup.make("discovery")
  .add(
    HttpApiEndpoint.get("posts", "/api/posts", { query: SummaryQuery.fields, success: Summaries }).annotate(
      OpenApi.Summary,
      "Find published Posts"
    ),
    HttpApiEndpoint.get("post", "/api/posts/:postId", {
      params: postId,
      success: PublicPost,
      error: inJson(NotFound, "not_found")
    }).annotate(OpenApi.Summary, "Read a published Post"),
    HttpApiEndpoint.get("publicContent", "/api/posts/:postId/public-content", {
      params: postId,
      success: PublicContent,
      error: inJson(NotFound, "not_found")
    }).annotate(OpenApi.Summary, "Read the content of a free Post"),
    HttpApiEndpoint.get("related", "/api/posts/:postId/related", {
      params: postId,
      query: RelatedQuery.fields,
      success: RelatedPosts,
      error: inJson(NotFound, "not_found")
    }).annotate(OpenApi.Summary, "List the Posts that are related to a Post"),
    HttpApiEndpoint.get("categories", "/api/categories", { success: Categories }).annotate(
      OpenApi.Summary,
      "List the categories"
    ),
    HttpApiEndpoint.get("categoryCounts", "/api/browse/categories", { success: CategoryCounts }).annotate(
      OpenApi.Summary,
      "List the categories with their numbers of published Posts"
    ),
    HttpApiEndpoint.get("handleAvailability", "/api/profile/handle-availability", {
      query: { handle: Text.check(atMost(200)) },
      success: HandleAvailability
    }).annotate(OpenApi.Summary, "Ask whether a handle is free"),
    HttpApiEndpoint.get("profile", "/api/profile/:handle", {
      params: handle,
      success: PublicProfile,
      error: inJson(NotFound, "not_found")
    }).annotate(OpenApi.Summary, "Read a public Profile"),
    HttpApiEndpoint.get("profileSummary", "/api/profile/:handle/summary", {
      params: handle,
      success: PublicProfileSummary,
      error: inJson(NotFound, "not_found")
    }).annotate(OpenApi.Summary, "Read a public Profile with its counts"),
    HttpApiEndpoint.get("profilePosts", "/api/profile/:handle/posts", {
      params: handle,
      query: paging,
      success: Summaries,
      error: inJson(NotFound, "not_found")
    }).annotate(OpenApi.Summary, "List the published Posts of a Profile")
  )
  .annotateEndpointsMerge(rateLimit("public-read"))
  .middleware(JsonRateLimits)
  .middleware(PublicRead)
  .middleware(JsonFamily)
  // Links carry parameters of their own, such as `utm_source`: unknown ones are ignored here, and refused elsewhere.
  .annotate(HttpApi.QueryParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Public reads",
      description: "Discovery without a credential (spec 4.5)"
    })
  ) {}
