import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { NotFound } from "../../platform/errors/common.ts"
import { ProblemFamily } from "../../platform/errors/families.ts"
import { inProblems } from "../../platform/errors/inProblems.ts"
import { PostId } from "../../platform/Ids.ts"
import { ProblemRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { PublishingKey } from "../../platform/security/middleware.ts"
import { DayStatsList, DayStatsQuery, PostStatsPage, PostStatsQuery } from "./ReadStats.ts"

/** Statistics of the reads of an author's Posts. */
export class ReadStatsApi extends HttpApiGroup.make("readStats")
  .add(
    HttpApiEndpoint.get("posts", "/api/v1/stats/posts", {
      query: PostStatsQuery.fields,
      success: PostStatsPage
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Count the reads of your Posts",
        description:
          "Returns the reads and sales of each Post that was ever public. The period is the last 30 days unless you choose one, of at most 366. Days older than a year are months."
      })
    ),
    HttpApiEndpoint.get("days", "/api/v1/stats/posts/:postId/days", {
      params: { postId: PostId },
      query: DayStatsQuery.fields,
      success: DayStatsList,
      error: inProblems(NotFound, "not-found")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Count the reads of your Post by day",
        description:
          "Returns the days of a period on which the Post was read or sold, newest first. Days older than a year are months."
      })
    )
  )
  .annotateEndpointsMerge(rateLimit("key"))
  .middleware(ProblemRateLimits)
  .middleware(PublishingKey)
  .middleware(ProblemFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Reads",
      description: "How often your Posts are read"
    })
  ) {}
