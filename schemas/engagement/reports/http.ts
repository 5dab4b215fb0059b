import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { bodyKibibytesMax } from "../../platform/BodyBytesMax.ts"
import { Forbidden, IdempotencyConflict, NotFound } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { ShortIdempotencyKey } from "../../platform/IdempotencyKey.ts"
import { CommentId, PostId } from "../../platform/Ids.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSession } from "../../platform/security/middleware.ts"
import { DuplicateReport } from "./errors.ts"
import { NewReport, ReplayedReport, ReportDraft } from "./Report.ts"

/** Fits 16,000 code points, each up to twelve bytes when escaped. */
const reportBody = bodyKibibytesMax(192)

const report = {
  headers: { "idempotency-key": ShortIdempotencyKey },
  payload: ReportDraft,
  success: [NewReport, ReplayedReport],
  error: [
    inJson(NotFound, "not_found"),
    inJson(Forbidden, "forbidden"),
    inJson(IdempotencyConflict, "idempotency_key_conflict"),
    inJson(DuplicateReport, "duplicate_report")
  ]
} as const

/** Reports to the moderators of the service (spec 4.6). */
export class ReportsApi extends HttpApiGroup.make("reports")
  .add(
    HttpApiEndpoint.post("post", "/api/v1/posts/:postId/reports", { params: { postId: PostId }, ...report })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Report a Post",
          description:
            "Reports a public Post of another owner to the moderators. At most 20 reports in a day. A repeat with the same Idempotency-Key returns the saved result with 200, and is not counted. Each owner reports a Post once."
        })
      )
      .annotateMerge(reportBody),
    HttpApiEndpoint.post("comment", "/api/v1/comments/:commentId/reports", {
      params: { commentId: CommentId },
      ...report
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Report a Comment",
          description:
            "Reports a visible Comment of another owner to the moderators. At most 20 reports in a day. A repeat with the same Idempotency-Key returns the saved result with 200, and is not counted. Each owner reports a Comment once."
        })
      )
      .annotateMerge(reportBody)
  )
  .annotateEndpointsMerge(rateLimit("account"))
  .middleware(JsonRateLimits)
  .middleware(OwnerSession)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Reports",
      description: "Report a Post or a Comment to the moderators"
    })
  ) {}
