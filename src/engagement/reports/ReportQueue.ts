import { Context, Effect, Layer, Option } from "effect"
import { InvalidCursor } from "../../../schemas/engagement/moderation/rpc.ts"
import type {
  Report,
  ReportDecision,
  ReportOutcome,
  ReportPage,
  ReportStatus
} from "../../../schemas/engagement/reports/Report.ts"
import { ReportClaimed, ReportNotFound, ReportResolved } from "../../../schemas/engagement/reports/rpc.ts"
import type { ReportId } from "../../../schemas/platform/Ids.ts"
import type { ModeratorAuthority, StaffAuthority } from "../../../schemas/platform/security/moderator.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { type Actor, actorOf, AuditLog, type Because } from "../../accounts/administration/AuditLog.ts"
import { Cursors } from "../../platform/cursors/Cursors.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { later, MINUTE_MILLIS, now } from "../../platform/time/now.ts"
import { type QueueRow, reportQueueStatements } from "./reportQueue.sql.ts"
import { reportsAroundStatements } from "./reportsAround.sql.ts"

/** Reports of a page, by default. */
const PAGE = 50

/** The time for which a claim keeps a report from other moderators. */
const CLAIM_MILLIS = 60 * MINUTE_MILLIS

type Refusal = ReportNotFound | ReportClaimed | ReportResolved

/** The end of a report. */
interface End {
  readonly outcome: ReportOutcome
  /** Resolves the other open reports of the same target, too. */
  readonly others?: boolean
  /** The act about the target, in the same transaction. */
  readonly decision?: ReportDecision
}

/** Returns true for two names of the same person. A moderator stays the same under another handle. */
const isSame = (one: Actor, other: Actor) =>
  one.id === other.id && (one.id !== null || one.name === other.name)

/** The queue of reports: moderators claim them and resolve them. */
export class ReportQueue extends Context.Service<
  ReportQueue,
  {
    /** Returns reports with one status, oldest first; open ones by default. */
    readonly list: (
      authority: StaffAuthority,
      query: { readonly status?: ReportStatus; readonly limit?: number; readonly cursor?: string }
    ) => Effect.Effect<ReportPage, InvalidCursor>
    readonly find: (authority: StaffAuthority, id: ReportId) => Effect.Effect<Report, ReportNotFound>
    /** Returns the newest reports of the target of a report. */
    readonly ofTarget: (
      authority: StaffAuthority,
      report: Report,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Report>>
    /**
     * Returns the open reports before and after one, and the first of all. Each is the first about another thing, and about
     * no work of the moderator.
     */
    readonly around: (
      moderator: ModeratorAuthority,
      report: Report
    ) => Effect.Effect<{
      readonly previous: ReportId | null
      readonly next: ReportId | null
      readonly first: ReportId | null
    }>
    /** Claims a report for an hour. Another moderator may claim it after that. */
    readonly claim: (
      authority: StaffAuthority,
      id: ReportId,
      actor: string | undefined
    ) => Effect.Effect<
      { readonly reportId: ReportId; readonly claimedBy: string; readonly claimedUntil: Timestamp },
      Refusal
    >
    /** Resolves a report, and with `others` the other open ones of its target. Returns the number of all. */
    readonly resolve: (
      authority: StaffAuthority,
      id: ReportId,
      end: End,
      because: Because
    ) => Effect.Effect<
      { readonly reportId: ReportId; readonly outcome: ReportOutcome; readonly resolved: number },
      Refusal
    >
  }
>()("pennypress/engagement/reports/ReportQueue") {
  static readonly layer = Layer.effect(
    ReportQueue,
    Effect.gen(function* () {
      const reports = yield* reportQueueStatements
      const { around } = yield* reportsAroundStatements
      const auditLog = yield* AuditLog
      const cursors = yield* Cursors
      const transactions = yield* Transactions

      /** Locks a report that this actor may work on, resolved or not. */
      const begin = Effect.fnUntraced(function* (id: ReportId, actor: Actor, at: Date) {
        const found = yield* reports.lock(id, at)
        if (Option.isNone(found)) return yield* new ReportNotFound({ reportId: id })
        const { claimed_by, claimed_by_id, claimed_until, outcome } = found.value
        if (claimed_by === null || claimed_until === null || outcome !== null) return found.value
        if (!isSame({ name: claimed_by, id: claimed_by_id }, actor))
          return yield* new ReportClaimed({ claimedBy: claimed_by, claimedUntil: claimed_until })
        return found.value
      })

      return ReportQueue.of({
        list: Effect.fn("ReportQueue.list")(function* (_, { cursor, limit = PAGE, status = "open" }) {
          const list = `reports ${status}`
          const position = cursor === undefined ? undefined : yield* cursors.read(list, cursor)
          const [createdAt, id] = position === undefined ? [] : Option.getOrElse(position, () => [])
          const after = createdAt === undefined || id === undefined ? undefined : { createdAt, id }
          if (position !== undefined && after === undefined) return yield* new InvalidCursor()
          const rows = yield* reports.list({ status, at: yield* now, after, limit: limit + 1 })
          const shown = rows.slice(0, limit)
          const last = rows.length > limit ? shown.at(-1) : undefined
          return {
            reports: shown.map(reportOf),
            nextCursor: last === undefined ? null : yield* cursors.make(list, [last.created_at, last.id])
          }
        }),

        find: Effect.fn("ReportQueue.find")(function* (_, id) {
          const found = yield* reports.find(id, yield* now)
          return Option.isSome(found) ? reportOf(found.value) : yield* new ReportNotFound({ reportId: id })
        }),

        ofTarget: Effect.fn("ReportQueue.ofTarget")(function* (_, { target }, limit) {
          return (yield* reports.ofTarget(target.id, yield* now, limit)).map(reportOf)
        }),

        around: Effect.fn("ReportQueue.around")(function* ({ ownerId }, report) {
          return yield* around(report, ownerId, yield* now)
        }),

        claim: Effect.fn("ReportQueue.claim")(
          function* (authority, id, named) {
            const at = yield* now
            const actor = actorOf(authority, named)
            const { outcome, resolved_by } = yield* begin(id, actor, at)
            if (outcome !== null && resolved_by !== null)
              return yield* new ReportResolved({ resolvedBy: resolved_by, outcome })
            const claimedUntil = yield* reports.claim(id, actor, later(at, CLAIM_MILLIS))
            const reason = `Claimed until ${claimedUntil}`
            const action = { action: "moderation.reports.claim", subjectId: id, actor: named, reason }
            yield* auditLog.record(authority, action)
            return { reportId: id, claimedBy: actor.name, claimedUntil }
          },
          (effect) => transactions.run(effect)
        ),

        resolve: Effect.fn("ReportQueue.resolve")(
          function* (authority, id, { decision = null, others = false, outcome }, { actor: named, reason }) {
            const at = yield* now
            const actor = actorOf(authority, named)
            if (others) yield* reports.lockTarget(id)
            const report = yield* begin(id, actor, at)
            if (report.outcome !== null && report.resolved_by !== null) {
              const isRepeat =
                report.outcome === outcome &&
                report.decision === decision &&
                isSame({ name: report.resolved_by, id: report.resolved_by_id }, actor) &&
                report.resolution === reason
              if (isRepeat) return { reportId: id, outcome, resolved: 0 }
              return yield* new ReportResolved({ resolvedBy: report.resolved_by, outcome: report.outcome })
            }
            const resolution = { by: actor, at, outcome, decision, reason }
            yield* reports.resolve(id, resolution)
            const more = others ? yield* reports.resolveOthers(report, resolution) : 0
            const action = {
              action: `moderation.reports.resolve ${outcome}`,
              subjectId: id,
              actor: named,
              reason
            }
            yield* auditLog.record(authority, action)
            return { reportId: id, outcome, resolved: more + 1 }
          },
          (effect) => transactions.run(effect)
        )
      })
    })
  )
}

const reporterOf = ({ reporter_handle: handle, reporter_id: id }: QueueRow): Report["reporter"] =>
  id === null || handle === null ? null : { id, handle }

const reportOf = (row: QueueRow): Report => ({
  id: row.id,
  status: row.status,
  reason: row.reason,
  createdAt: row.created_at,
  reporter: reporterOf(row),
  replyTo: row.reporter_email,
  target: {
    kind: row.target_kind,
    id: row.target_id,
    state: row.state,
    text: row.text,
    author: { id: row.author_id, handle: row.author_handle },
    postId: row.post_id,
    reports: row.reports
  },
  claimedBy: row.claimed_by,
  claimedById: row.claimed_by_id,
  claimedUntil: row.claimed_until,
  resolvedBy: row.resolved_by,
  resolvedById: row.resolved_by_id,
  resolvedAt: row.resolved_at,
  outcome: row.outcome,
  decision: row.decision,
  resolution: row.resolution
})
