import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { NotFound } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { LinkQuery } from "../../platform/errors/linkQuery.ts"
import { OwnerId } from "../../platform/Ids.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { PublicRead } from "../../platform/security/middleware.ts"
import { FollowCounts, FollowPage, FollowPaging } from "./Follow.ts"

const list = {
  params: { userId: OwnerId },
  query: FollowPaging.fields,
  success: FollowPage,
  error: inJson(NotFound, "not_found")
}

/** Lists of follows, which everyone may read (spec 4.5). */
export class FollowListsApi extends HttpApiGroup.make("followLists")
  .add(
    HttpApiEndpoint.get("followers", "/api/followers/:userId", list)
      .annotateMerge(
        OpenApi.annotations({
          summary: "List the followers of an owner",
          description: "Lists the followers of an owner, newest first, page by page."
        })
      )
      .middleware(LinkQuery),
    HttpApiEndpoint.get("following", "/api/following/:userId", list)
      .annotateMerge(
        OpenApi.annotations({
          summary: "List the creators whom an owner follows",
          description: "Lists the creators whom an owner follows, newest first, page by page."
        })
      )
      .middleware(LinkQuery),
    HttpApiEndpoint.get("counts", "/api/follows/counts/:profileId", {
      params: { profileId: OwnerId },
      success: FollowCounts,
      error: inJson(NotFound, "not_found")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Count the follows of an owner",
        description:
          "Counts the followers of an owner and the creators whom they follow. With a Bearer token, it also returns whether the caller follows the owner."
      })
    )
  )
  .annotateEndpointsMerge(rateLimit("public-read"))
  .middleware(JsonRateLimits)
  .middleware(PublicRead)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Lists of follows",
      description: "Followers and followed creators of an owner"
    })
  ) {}
