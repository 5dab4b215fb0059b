import { Effect } from "effect"
import { ReportsRpcs } from "../../../schemas/engagement/reports/rpc.ts"
import { CurrentAdministrator } from "../../../schemas/platform/security/administrator.ts"
import { ReportQueue } from "./ReportQueue.ts"

/** Handlers of the procedures for the queue of reports. */
export const ReportsRpc = ReportsRpcs.toLayer(
  Effect.map(ReportQueue, (queue) =>
    ReportsRpcs.of({
      "moderation.reports.list": Effect.fnUntraced(function* (query) {
        return yield* queue.list(yield* CurrentAdministrator, query)
      }),
      "moderation.reports.claim": Effect.fnUntraced(function* ({ actor, reportId }) {
        return yield* queue.claim(yield* CurrentAdministrator, reportId, actor)
      }),
      "moderation.reports.resolve": Effect.fnUntraced(function* ({ others, outcome, reportId, ...because }) {
        const end = { outcome, ...(others === undefined ? {} : { others }) }
        return yield* queue.resolve(yield* CurrentAdministrator, reportId, end, because)
      })
    })
  )
)
