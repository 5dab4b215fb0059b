import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { OwnerId, ReportId } from "../../../schemas/platform/Ids.ts"
import { DELETED_ACTOR } from "../../accounts/administration/moderators.sql.ts"
import { statements } from "../../platform/sql/statements.ts"
import type { ReportTarget } from "./ReportTarget.ts"

/** First key of the advisory lock on an owner's reports; the second is the owner's number. */
const LOCK = 7_104_221

const FactsRow = Schema.Struct({
  earlier_id: Schema.NullOr(ReportId),
  earlier_fingerprint: Schema.NullOr(Schema.Uint8Array),
  is_reported: Schema.Boolean,
  /** Null unless every reader sees the target. */
  target_author_id: Schema.NullOr(OwnerId),
  /** The time of the report with which the quota of a day begins; null below the quota. */
  day_from: Schema.NullOr(Schema.Date)
})

/** A report of a target, under a key of the reporter's own. */
interface ReportRequest {
  readonly reporterId: OwnerId
  readonly target: ReportTarget
  readonly idempotencyKey: string
}

/** A report to save. */
interface NewReportRow extends ReportRequest {
  readonly id: ReportId
  readonly authorId: OwnerId
  readonly reason: string
  readonly fingerprint: Uint8Array
  readonly at: Date
}

/** Statements that save reports of readers. */
export const reportStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, one, run } = statements(sql, "reports")

  const authorOf = ({ id, kind }: ReportTarget) =>
    kind === "post"
      ? sql`select p.owner_id from public_posts p where p.id = ${id}`
      : sql`
          select c.author_id from public_comments c where c.id = ${id} and c.deleted_at is null`

  return {
    /** Makes the reports of an owner take turns until the surrounding transaction ends. */
    lock: (reporter: OwnerId) => run("lock")`select pg_advisory_xact_lock(${LOCK}, hashtext(${reporter}))`,

    /** Reads everything that decides a request, in one statement. */
    facts: ({ idempotencyKey, reporterId, target }: ReportRequest, perDay: number) => one("facts", FactsRow)`
      select e.id as earlier_id, e.fingerprint as earlier_fingerprint,
        exists (
          select from reports where target_id = ${target.id} and target_kind = ${target.kind}
            and reporter_id = ${reporterId}) as is_reported,
        (${authorOf(target)}) as target_author_id,
        (select created_at from reports where reporter_id = ${reporterId}
         order by created_at desc offset ${perDay - 1} limit 1) as day_from
      from (select 1) one
      left join reports e on e.reporter_id = ${reporterId} and e.idempotency_key = ${idempotencyKey}`,

    /**
     * Erases the reporter of some reports, and the name of a moderator whose account is deleted. What was reported, and what
     * was decided, stays.
     */
    eraseSome: (owner: OwnerId, limit: number) => changed("eraseSome")`
      with reported as (
        update reports set reporter_id = null, idempotency_key = null, fingerprint = sha256(convert_to(id::text, 'UTF8'))
        where ctid = any(array(select ctid from reports where reporter_id = ${owner} limit ${limit})) returning id
      ), claimed as (
        update reports set claimed_by = case when claimed_by_id = ${owner} then ${DELETED_ACTOR} else claimed_by end,
          resolved_by = case when resolved_by_id = ${owner} then ${DELETED_ACTOR} else resolved_by end
        where ctid = any(array(
          select ctid from reports
          where reporter_id is distinct from ${owner}
            and (claimed_by_id = ${owner} and claimed_by <> ${DELETED_ACTOR}
              or resolved_by_id = ${owner} and resolved_by <> ${DELETED_ACTOR}) limit ${limit})) returning id
      )
      select from reported union all select from claimed`,

    insert: ({
      at,
      authorId,
      fingerprint,
      id,
      idempotencyKey,
      reason,
      reporterId,
      target
    }: NewReportRow) => run("insert")`
      insert into reports ${sql.insert({
        id,
        reporter_id: reporterId,
        target_kind: target.kind,
        target_id: target.id,
        author_id: authorId,
        reason,
        idempotency_key: idempotencyKey,
        fingerprint,
        created_at: at
      })}`
  }
})

/** Erases who reported, for accounts that are deleted. */
export const reportErasure = Effect.map(reportStatements, ({ eraseSome }) => ({ eraseSome }))
