import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import {
  ReportDecision,
  ReportedState,
  ReportOutcome,
  REPORTED_TEXT_MAX,
  ReportStatus
} from "../../../schemas/engagement/reports/Report.ts"
import { EmailAddress } from "../../../schemas/platform/EmailAddress.ts"
import { OwnerId, PostId, ReportId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import type { Actor } from "../../accounts/administration/AuditLog.ts"
import { statements } from "../../platform/sql/statements.ts"
import { isHidden } from "../comments/slices.sql.ts"
import { arePostsOpen } from "./reportedThings.sql.ts"

/** Maximum number of reports of one target that are counted. */
const COUNTED_MAX = 1000

const TargetKind = Schema.Literals(["post", "comment", "account"])

/** A report with its target as it is now. */
const QueueRow = Schema.Struct({
  id: ReportId,
  status: ReportStatus,
  reason: Schema.String,
  created_at: Timestamp,
  reporter_id: Schema.NullOr(OwnerId),
  reporter_handle: Schema.NullOr(Schema.String),
  reporter_email: Schema.NullOr(EmailAddress),
  target_kind: TargetKind,
  target_id: Schema.String,
  state: ReportedState,
  text: Schema.String,
  author_id: OwnerId,
  author_handle: Schema.String,
  post_id: Schema.NullOr(PostId),
  reports: Schema.Int,
  claimed_by: Schema.NullOr(Schema.String),
  claimed_by_id: Schema.NullOr(OwnerId),
  claimed_until: Schema.NullOr(Timestamp),
  resolved_by: Schema.NullOr(Schema.String),
  resolved_by_id: Schema.NullOr(OwnerId),
  resolved_at: Schema.NullOr(Timestamp),
  outcome: Schema.NullOr(ReportOutcome),
  decision: Schema.NullOr(ReportDecision),
  resolution: Schema.NullOr(Schema.String)
})
export type QueueRow = typeof QueueRow.Type

/** A locked report. A claim that has ended is null. */
const LockedRow = Schema.Struct({
  id: ReportId,
  target_kind: TargetKind,
  target_id: Schema.String,
  claimed_by: Schema.NullOr(Schema.String),
  claimed_by_id: Schema.NullOr(OwnerId),
  claimed_until: Schema.NullOr(Timestamp),
  resolved_by: Schema.NullOr(Schema.String),
  resolved_by_id: Schema.NullOr(OwnerId),
  outcome: Schema.NullOr(ReportOutcome),
  decision: Schema.NullOr(ReportDecision),
  resolution: Schema.NullOr(Schema.String)
})
type LockedRow = typeof LockedRow.Type

const ClaimRow = Schema.Struct({ claimed_until: Timestamp })
const IdRow = Schema.Struct({ id: ReportId })

/** Asks for reports. */
interface QueueQuery {
  readonly status: ReportStatus
  readonly at: Date
  /** The last report of the page before. */
  readonly after: { readonly createdAt: string; readonly id: string } | undefined
  readonly limit: number
}

/** The end of a report. */
interface Resolution {
  readonly by: Actor
  readonly at: Date
  readonly outcome: ReportOutcome
  readonly decision: ReportDecision | null
  readonly reason: string
}

/** Selects the reports that moderators have not resolved, oldest first. */
export const unresolvedReports =
  "select created_at from reports where resolved_at is null order by created_at, id"

/** Statements over reports as moderators work on them. */
export const reportQueueStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many, maybe, one, run } = statements(sql, "reportQueue")

  const having = (status: ReportStatus, at: Date) => {
    switch (status) {
      case "open":
        return sql`r.resolved_at is null and (r.claimed_until is null or r.claimed_until <= ${at})`
      case "claimed":
        return sql`r.resolved_at is null and r.claimed_until > ${at}`
      case "resolved":
        return sql`r.resolved_at is not null`
    }
  }

  const resolved = ({ at, by, decision, outcome, reason }: Resolution) => sql`
    resolved_at = ${at}, resolved_by = ${by.name}, resolved_by_id = ${by.id}, outcome = ${outcome}, decision = ${decision},
    resolution = ${reason}`

  const target = sql.literal(`
    left join posts p on r.target_kind = 'post' and p.id = r.target_id
    left join comments c on r.target_kind = 'comment' and c.id = r.target_id
    join owners a on a.id = r.author_id`)

  const state = sql.literal(`
    case
      when r.target_kind = 'account' then
        case when exists (select from public_owners where public_owners.id = a.id offset 0) then 'public'
          else 'not_public' end
      when p.id is null and c.id is null then 'gone'
      when p.withdrawn_at is not null then 'withdrawn'
      when c.deleted_at is not null then 'deleted'
      when ${isHidden("c")} then 'hidden'
      when exists (select from public_posts where public_posts.id = p.id offset 0)
        or exists (select from public_comments where public_comments.id = c.id offset 0) then 'public'
      else 'not_public' end`)

  const text = sql.literal(`
    left(coalesce(
      case r.target_kind
        when 'account' then concat_ws(E'\\n\\n', a.name, a.bio, a.location)
        when 'comment' then c.content
        else concat_ws(E'\\n\\n', p.title, p.description,
          case when ${arePostsOpen} then concat_ws(E'\\n\\n', p.free_content_markdown, p.paid_content_markdown) end)
      end, ''), ${REPORTED_TEXT_MAX})`)

  const claimedBy = ({ id, name }: Actor) =>
    id === null ? sql`(claimed_by_id is null and claimed_by = ${name})` : sql`claimed_by_id = ${id}`

  const claimed = (at: Date) => sql`
    case when r.claimed_until > ${at} then r.claimed_by end as claimed_by,
    case when r.claimed_until > ${at} then r.claimed_by_id end as claimed_by_id,
    case when r.claimed_until > ${at} then wire_time(r.claimed_until) end as claimed_until`

  const statusOf = (at: Date) => sql`
    case when r.resolved_at is not null then 'resolved' when r.claimed_until > ${at} then 'claimed' else 'open' end`

  const shown = (status: Statement.Fragment, at: Date) => sql`
    r.id, ${status} as status, r.reason, wire_time(r.created_at) as created_at,
    r.reporter_id, o.handle as reporter_handle, r.reporter_email, r.target_kind, r.target_id, ${state} as state, ${text} as text,
    a.id as author_id, a.handle as author_handle, coalesce(p.id, c.post_id) as post_id,
    (select count(*)::integer from (
      select from reports s where s.target_id = r.target_id and s.target_kind = r.target_kind
      limit ${COUNTED_MAX}) s) as reports,
    ${claimed(at)}, r.resolved_by, r.resolved_by_id, wire_time(r.resolved_at) as resolved_at, r.outcome, r.decision,
    r.resolution`

  return {
    list: Effect.fnUntraced(function* ({ after, at, limit, status }: QueueQuery) {
      const beyond =
        after === undefined
          ? sql``
          : sql`and (r.created_at, r.id) > (${after.createdAt}::timestamptz, ${after.id}::uuid)`
      return yield* many("list", QueueRow)`
        select ${shown(sql`${status}`, at)}
        from (
          select * from reports r where ${having(status, at)} ${beyond}
          order by r.created_at, r.id limit ${limit}) r
        left join owners o on o.id = r.reporter_id ${target}
        order by r.created_at, r.id`
    }),

    find: (id: ReportId, at: Date) => maybe("find", QueueRow)`
      select ${shown(statusOf(at), at)}
      from reports r left join owners o on o.id = r.reporter_id ${target} where r.id = ${id}`,

    /** Returns the reports of one target, newest first. */
    ofTarget: (id: string, at: Date, limit: number) => many("ofTarget", QueueRow)`
      select ${shown(statusOf(at), at)}
      from (select * from reports r where r.target_id = ${id} order by r.created_at desc, r.id desc limit ${limit}) r
      left join owners o on o.id = r.reporter_id ${target}
      order by r.created_at desc, r.id desc`,

    lock: (id: ReportId, at: Date) => maybe("lock", LockedRow)`
      select r.id, r.target_kind, r.target_id, r.resolved_by, r.resolved_by_id, r.outcome, r.decision, r.resolution,
        ${claimed(at)}
      from reports r where r.id = ${id} for no key update`,

    /** Locks all reports of the target of this one, in one order, so that two resolutions never deadlock. */
    lockTarget: (id: ReportId) => run("lockTarget")`
      select from reports
      where (target_id, target_kind) = (select target_id, target_kind from reports where id = ${id})
      order by id for no key update`,

    claim: (id: ReportId, by: Actor, until: Date) =>
      Effect.map(
        one("claim", ClaimRow)`
          update reports set claimed_by = ${by.name}, claimed_by_id = ${by.id}, claimed_until = ${until} where id = ${id}
          returning wire_time(claimed_until) as claimed_until`,
        ({ claimed_until }) => claimed_until
      ),

    /** Resolves a locked report. */
    resolve: (id: ReportId, resolution: Resolution) => run("resolve")`
      update reports set ${resolved(resolution)} where id = ${id}`,

    /** Resolves the reports of a target that no other moderator has claimed. Returns their number. */
    resolveOthers: (
      { target_id, target_kind }: Pick<LockedRow, "target_id" | "target_kind">,
      resolution: Resolution
    ) =>
      Effect.map(
        many("resolveOthers", IdRow)`
          update reports set ${resolved(resolution)}
          where target_id = ${target_id} and target_kind = ${target_kind} and resolved_at is null
            and (claimed_until is null or claimed_until <= ${resolution.at} or ${claimedBy(resolution.by)})
          returning id`,
        (rows) => rows.length
      )
  }
})
