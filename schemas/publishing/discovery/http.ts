import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { NotFound } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { LinkQuery } from "../../platform/errors/linkQuery.ts"
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
    HttpApiEndpoint.get("posts", "/api/posts", {
      query: SummaryQuery.fields,
      success: Summaries
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Find published Posts",
          description:
            "Finds published Posts by words and filters, page by page. With `cursor`, it continues where the last answer ended."
        })
      )
      .middleware(LinkQuery),
    HttpApiEndpoint.get("post", "/api/posts/:postId", {
      params: postId,
      success: PublicPost,
      error: inJson(NotFound, "not_found")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read a published Post",
        description: "Returns a published Post with its free text."
      })
    ),
    HttpApiEndpoint.get("publicContent", "/api/posts/:postId/public-content", {
      params: postId,
      success: PublicContent,
      error: inJson(NotFound, "not_found")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read the content of a free Post",
        description:
          "Returns the whole text of a free Post. For a paid Post it returns no text, but the reason."
      })
    ),
    HttpApiEndpoint.get("related", "/api/posts/:postId/related", {
      params: postId,
      query: RelatedQuery.fields,
      success: RelatedPosts,
      error: inJson(NotFound, "not_found")
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "List the Posts that are related to a Post",
          description:
            "Lists published Posts that are related to this one, most related first: Posts in its language, then Posts with shared categories and similar text. Caches may keep the answer for 300 seconds."
        })
      )
      .middleware(LinkQuery),
    HttpApiEndpoint.get("categories", "/api/categories", { success: Categories }).annotateMerge(
      OpenApi.annotations({
        summary: "List the categories",
        description: "Lists the categories."
      })
    ),
    HttpApiEndpoint.get("categoryCounts", "/api/browse/categories", {
      success: CategoryCounts
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List the categories with their numbers of published Posts",
        description: "Lists the categories with the number of their published Posts."
      })
    ),
    HttpApiEndpoint.get("handleAvailability", "/api/profile/handle-availability", {
      query: { handle: Text.check(atMost(200)).annotate({ description: "The handle to ask for" }) },
      success: HandleAvailability
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Ask whether a handle is free",
          description:
            "Returns whether a handle is free. This is only a hint: another account may take the handle first."
        })
      )
      .middleware(LinkQuery),
    HttpApiEndpoint.get("profile", "/api/profile/:handle", {
      params: handle,
      success: PublicProfile,
      error: inJson(NotFound, "not_found")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read a public Profile",
        description: "Returns the public Profile of a handle."
      })
    ),
    HttpApiEndpoint.get("profileSummary", "/api/profile/:handle/summary", {
      params: handle,
      success: PublicProfileSummary,
      error: inJson(NotFound, "not_found")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read a public Profile with its counts",
        description: "Returns the public Profile of a handle with its counts."
      })
    ),
    HttpApiEndpoint.get("profilePosts", "/api/profile/:handle/posts", {
      params: handle,
      query: paging,
      success: Summaries,
      error: inJson(NotFound, "not_found")
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "List the published Posts of a Profile",
          description: "Lists the published Posts of a handle, page by page."
        })
      )
      .middleware(LinkQuery)
  )
  .annotateEndpointsMerge(rateLimit("public-read"))
  .middleware(JsonRateLimits)
  .middleware(PublicRead)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Public reads",
      description: "Discovery without a credential"
    })
  ) {}
