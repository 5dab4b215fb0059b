import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { EmailAddress } from "../../platform/EmailAddress.ts"
import { OwnerId, PostId, ReportId } from "../../platform/Ids.ts"
import { visibleProse } from "../../platform/Text.ts"
import { Timestamp } from "../../platform/Timestamp.ts"

/** Maximum number of characters of a reported Post's text that a moderator gets. */
export const REPORTED_TEXT_MAX = 4_000

/** The reader's reason, of 1 to 2000 characters (spec 4.6.2). */
export const ReportDraft = Schema.Struct({ reason: visibleProse(2000) }).annotate({
  identifier: "ReportDraft"
})
export type ReportDraft = typeof ReportDraft.Type

const saved = {
  success: Schema.Literal(true),
  reportId: ReportId,
  /** The status of a report when it is saved. A repeat gets the same answer. */
  status: Schema.Literal("open")
}

/** A report that this request saved. */
export const NewReport = Schema.Struct({ ...saved, replayed: Schema.Literal(false) })
  .annotate({ identifier: "NewReport" })
  .pipe(HttpApiSchema.status(201))

/** A report that an earlier request with the same key saved. */
export const ReplayedReport = Schema.Struct({ ...saved, replayed: Schema.Literal(true) }).annotate({
  identifier: "ReplayedReport"
})
export type SavedReport = typeof NewReport.Type | typeof ReplayedReport.Type

/** A claimed report is open again when its claim ends. */
export const ReportStatus = Schema.Literals(["open", "claimed", "resolved"])
export type ReportStatus = typeof ReportStatus.Type

/** `actioned` if moderators acted on the target. */
export const ReportOutcome = Schema.Literals(["dismissed", "actioned"])
export type ReportOutcome = typeof ReportOutcome.Type

/** The act of a moderator about the target of a report, or about its author. */
export const ReportDecision = Schema.Literals(["hide", "withdraw", "restrict"])
export type ReportDecision = typeof ReportDecision.Type

/** The current state of a reported target; `gone` if it was removed. */
export const ReportedState = Schema.Literals([
  "public",
  "not_public",
  "withdrawn",
  "hidden",
  "deleted",
  "gone"
])

const Account = Schema.Struct({ id: OwnerId, handle: Schema.String })

/** A report as moderators judge it. */
export const Report = Schema.Struct({
  id: ReportId,
  status: ReportStatus,
  reason: Schema.String,
  createdAt: Timestamp,
  /** Null for a reader without an account. */
  reporter: Schema.NullOr(Account),
  /** The address that such a reader left for an answer; not verified, and null for an account. */
  replyTo: Schema.NullOr(EmailAddress),
  target: Schema.Struct({
    kind: Schema.Literals(["post", "comment", "account"]),
    id: Schema.String,
    state: ReportedState,
    /** The beginning of a Post with both of its sections, the content of a Comment, or the texts of a Profile. */
    text: Schema.String,
    author: Account,
    postId: Schema.NullOr(PostId),
    /** Number of reports of the same target, including this one; at most 1000. */
    reports: Schema.Int
  }),
  claimedBy: Schema.NullOr(Schema.String),
  /** The account of a moderator; null for an administrator. */
  claimedById: Schema.NullOr(OwnerId),
  claimedUntil: Schema.NullOr(Timestamp),
  resolvedBy: Schema.NullOr(Schema.String),
  resolvedById: Schema.NullOr(OwnerId),
  resolvedAt: Schema.NullOr(Timestamp),
  outcome: Schema.NullOr(ReportOutcome),
  /** Null for a report that was dismissed, or that an administrator resolved. */
  decision: Schema.NullOr(ReportDecision),
  resolution: Schema.NullOr(Schema.String)
})
export type Report = typeof Report.Type

/** Reports of a page, oldest first. */
export const ReportPage = Schema.Struct({
  reports: Schema.Array(Report),
  /** Continues the list; null at its end. */
  nextCursor: Schema.NullOr(Schema.String)
})
export type ReportPage = typeof ReportPage.Type
