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
import {
  FollowedPostPage,
  FollowingFeedState,
  IssuedFollowingFeed,
  OwnFollowPage,
  OwnFollowsQuery
} from "./OwnFollows.ts"

const creator = { creatorId: OwnerId }
const follow = { followId: FollowId }
const unknown = inJson(NotFound, "not_found")

/** The follows of the owner who calls (spec 4.6). */
export class FollowsApi extends HttpApiGroup.make("follows")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: OwnFollowsQuery.fields,
      success: OwnFollowPage
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List the creators whom you follow",
        description:
          "Lists the owner's follows with their preferences, newest first. Restricted creators are left out."
      })
    ),
    HttpApiEndpoint.get("posts", "/posts", {
      query: OwnFollowsQuery.fields,
      success: FollowedPostPage
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List the Posts of the creators whom you follow",
        description:
          "Lists the published Posts of all creators whom the owner follows, newest first, as public lists show them."
      })
    ),
    HttpApiEndpoint.get("feed", "/feed", { success: FollowingFeedState }).annotateMerge(
      OpenApi.annotations({
        summary: "Ask whether you have a private feed",
        description: "Returns the owner's private feed, without its address. Without a feed, `feed` is null."
      })
    ),
    HttpApiEndpoint.post("issueFeed", "/feed", { success: IssuedFollowingFeed }).annotateMerge(
      OpenApi.annotations({
        summary: "Make the address of your private feed",
        description:
          "Makes the address of an Atom feed with the Posts of the creators whom the owner follows. Anyone who has the address can read the feed. It is shown only here, once. Each call makes a new address, and the previous one stops working."
      })
    ),
    HttpApiEndpoint.delete("revokeFeed", "/feed", { success: FollowingFeedState }).annotateMerge(
      OpenApi.annotations({
        summary: "Turn off your private feed",
        description:
          "Turns off the private feed: its address stops working for good. A repeat changes nothing."
      })
    ),
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
