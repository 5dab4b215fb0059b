import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { NotFound } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { CommentId, PostId } from "../../platform/Ids.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { PublicRead } from "../../platform/security/middleware.ts"
import { CommentSupporter, TipActivity } from "./Tip.ts"

/** Tips as anyone sees them (spec 4.5). */
export class TipsApi extends HttpApiGroup.make("tips")
  .add(
    HttpApiEndpoint.get("activities", "/api/posts/:postId/tip-activities", {
      params: { postId: PostId },
      success: Schema.Array(TipActivity),
      error: inJson(NotFound, "not_found")
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "List the newest tips for a Post",
          description:
            "Returns the newest 200 tips for a Post and its Comments with their exact amounts. A withdrawn Post is not found."
        })
      )
      .annotateMerge(rateLimit("public-read")),
    HttpApiEndpoint.get("supporters", "/api/posts/:postId/comments/:commentId/tips/supporters", {
      params: { postId: PostId, commentId: CommentId },
      success: Schema.Array(CommentSupporter),
      error: inJson(NotFound, "not_found")
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "List the supporters of a Comment",
          description: "Returns at most 200 direct supporters of a visible Comment, largest sum first."
        })
      )
      .annotateMerge(rateLimit("reaction-read"))
  )
  .middleware(JsonRateLimits)
  .middleware(PublicRead)
  .middleware(JsonFamily)
  .annotate(HttpApi.QueryParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Tips",
      description: "Tips for Posts and Comments that are public (spec 4.5)"
    })
  ) {}
