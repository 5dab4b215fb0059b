import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { JsonFamily } from "../../platform/errors/families.ts"
import { LinkQuery } from "../../platform/errors/linkQuery.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { PublicRead } from "../../platform/security/middleware.ts"
import { Leaderboard, LeaderboardQuery } from "./Leaderboard.ts"

/** Creators and supporters by rank (spec 4.5). */
export class LeaderboardsApi extends HttpApiGroup.make("leaderboards")
  .add(
    HttpApiEndpoint.get("read", "/api/leaderboards", {
      query: LeaderboardQuery.fields,
      success: Leaderboard
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Read a leaderboard",
          description:
            "Returns the rows of a board, refreshed every five minutes. Boards of sales and earnings show only creators who chose it (`show_on_creator_leaderboards`). With a Bearer token, it also has the caller's rank among all owners, shown or not."
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
      title: "Leaderboards",
      description: "Creators and supporters by rank"
    })
  ) {}
