import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { actionFields } from "../../accounts/administration/rpc.ts"
import { ReportId } from "../../platform/Ids.ts"
import { Administrator } from "../../platform/security/administrator.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { InvalidCursor, pageFields } from "../moderation/rpc.ts"
import { ReportOutcome, ReportPage, ReportStatus } from "./Report.ts"

/** The report does not exist. */
export class ReportNotFound extends Schema.TaggedError<ReportNotFound>()("ReportNotFound", {
  reportId: ReportId
}) {}

/** Another moderator has claimed the report until then. */
export class ReportClaimed extends Schema.TaggedError<ReportClaimed>()("ReportClaimed", {
  claimedBy: Schema.String,
  claimedUntil: Timestamp
}) {}

/** The report was already resolved, with another outcome. */
export class ReportResolved extends Schema.TaggedError<ReportResolved>()("ReportResolved", {
  resolvedBy: Schema.String,
  outcome: ReportOutcome
}) {}

const refusals = Schema.Union([ReportNotFound, ReportClaimed, ReportResolved])

/** The queue of reports, for moderators. */
export class ReportsRpcs extends RpcGroup.make(
  /** Lists reports with one status, oldest first. */
  Rpc.make("moderation.reports.list", {
    payload: { ...pageFields, status: Schema.optionalKey(ReportStatus) },
    success: ReportPage,
    error: InvalidCursor
  }),
  /** Claims an open report for an hour. A repeat by the same actor starts the hour again. */
  Rpc.make("moderation.reports.claim", {
    payload: { reportId: ReportId, actor: actionFields.actor },
    success: Schema.Struct({ reportId: ReportId, claimedBy: Schema.String, claimedUntil: Timestamp }),
    error: refusals
  }),
  /**
   * Resolves a report that no other moderator has claimed. `others` resolves the other open reports of the same target,
   * too. Safe to repeat.
   */
  Rpc.make("moderation.reports.resolve", {
    payload: {
      reportId: ReportId,
      outcome: ReportOutcome,
      others: Schema.optionalKey(Schema.Boolean),
      ...actionFields
    },
    success: Schema.Struct({
      reportId: ReportId,
      outcome: ReportOutcome,
      /** Reports that this call resolved: none for a repeat. */
      resolved: Schema.Int
    }),
    error: refusals
  })
).middleware(Administrator) {}
