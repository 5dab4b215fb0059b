import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { NotFound } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { StrictMembers } from "../../platform/errors/strictMembers.ts"
import { FollowId, OwnerId } from "../../platform/Ids.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSession } from "../../platform/security/middleware.ts"
import { SelfFollow } from "./errors.ts"
import { Follow, FollowPreferences, FollowRequest, FollowState } from "./Follow.ts"

const creator = { creatorId: OwnerId }
const follow = { followId: FollowId }
const unknown = inJson(NotFound, "not_found")

/** The follows of the owner who calls (spec 4.6). */
export class FollowsApi extends HttpApiGroup.make("follows")
  .add(
    HttpApiEndpoint.get("read", "/:creatorId", {
      params: creator,
      success: FollowState,
      error: unknown
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Ask whether the owner follows a creator",
        description: "Returns whether the owner follows a creator. Without a follow, `follow` is null."
      })
    ),
    HttpApiEndpoint.put("save", "/:creatorId", {
      params: creator,
      payload: FollowRequest,
      success: FollowState,
      error: [unknown, inJson(SelfFollow, "self_follow")]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Follow or unfollow a creator",
        description:
          "Sets whether the owner follows a creator. A repeat changes nothing. A follow that begins again keeps its id and preferences."
      })
    ),
    HttpApiEndpoint.get("readPreferences", "/preferences/:followId", {
      params: follow,
      success: Follow,
      error: unknown
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read the preferences of a follow",
        description: "Returns a follow of the owner with its preferences."
      })
    ),
    HttpApiEndpoint.put("savePreferences", "/preferences/:followId", {
      params: follow,
      payload: FollowPreferences,
      success: Follow,
      error: unknown
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Change the preferences of a follow",
          description:
            "Changes the preferences that the request names and keeps the others. Refuses other members with 400."
        })
      )
      .middleware(StrictMembers)
  )
  .prefix("/api/v1/follows")
  .annotateEndpointsMerge(rateLimit("account"))
  .middleware(JsonRateLimits)
  .middleware(OwnerSession)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Follows",
      description: "The creators whom an owner follows"
    })
  ) {}
