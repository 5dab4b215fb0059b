import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { NotFound } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
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
    HttpApiEndpoint.get("followers", "/api/followers/:userId", list).annotate(
      OpenApi.Summary,
      "List the followers of an owner"
    ),
    HttpApiEndpoint.get("following", "/api/following/:userId", list).annotate(
      OpenApi.Summary,
      "List the creators whom an owner follows"
    ),
    HttpApiEndpoint.get("counts", "/api/follows/counts/:profileId", {
      params: { profileId: OwnerId },
      success: FollowCounts,
      error: inJson(NotFound, "not_found")
    }).annotate(OpenApi.Summary, "Count the follows of an owner")
  )
  .annotateEndpointsMerge(rateLimit("public-read"))
  .middleware(JsonRateLimits)
  .middleware(PublicRead)
  .middleware(JsonFamily)
  .annotate(HttpApi.QueryParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Lists of follows",
      description: "Followers and followed creators of an owner (spec 4.5)"
    })
  ) {}
