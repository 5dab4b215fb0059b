import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { CurrentOwner } from "../../../schemas/platform/security/authorities.ts"
import { Reports } from "./Reports.ts"
import type { ReportTarget } from "./ReportTarget.ts"

export const ReportsHttp = HttpApiBuilder.group(
  Api,
  "reports",
  Effect.fnUntraced(function* (handlers) {
    const reports = yield* Reports

    const report = Effect.fnUntraced(function* (target: ReportTarget, reason: string, key: string) {
      return yield* reports.report(yield* CurrentOwner, target, reason, key)
    })

    return handlers.handleAll({
      post: ({ headers, params, payload }) =>
        report({ kind: "post", id: params.postId }, payload.reason, headers["idempotency-key"]),
      comment: ({ headers, params, payload }) =>
        report({ kind: "comment", id: params.commentId }, payload.reason, headers["idempotency-key"])
    })
  })
)
