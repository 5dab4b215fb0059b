import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { EmailAddress } from "../../../schemas/platform/EmailAddress.ts"
import { OwnerId, type ReportId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"
import type { PublicTarget } from "./ReportTarget.ts"

/** Maximum number of unresolved reports of one target that are saved: more of them tell moderators nothing new. */
const UNRESOLVED_MAX = 100

/** Characters of a Comment that the form quotes. */
const QUOTE_CHARACTERS = 500

/** A Post, a Comment or an account that every reader sees. */
const TargetRow = Schema.Struct({
  target_id: Schema.String,
  author_id: OwnerId,
  author_name: Schema.String,
  /** The title of a Post, or the beginning of a Comment; null for an account. */
  text: Schema.NullOr(Schema.String),
  /** The handle in the address of the page, and the rest of that address for a Post or a Comment. */
  handle: Schema.String,
  slug: Schema.NullOr(Schema.String),
  thread_root_id: Schema.NullOr(Schema.String)
})
export type TargetRow = typeof TargetRow.Type

/** A report to save. */
interface NewReportRow {
  readonly id: ReportId
  readonly kind: PublicTarget["kind"]
  readonly target: TargetRow
  readonly replyTo: EmailAddress
  readonly reason: string
  readonly fingerprint: Uint8Array
  readonly at: Date
}

/** Statements that save reports of readers without an account. */
export const publicReportStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { maybe, run } = statements(sql, "publicReports")

  const targetOf = (target: PublicTarget) => {
    switch (target.kind) {
      case "post":
        return sql`
          select p.id as target_id, o.id as author_id, o.name as author_name, p.title as text, o.handle, p.slug,
            null as thread_root_id
          from public_posts p join owners o on o.id = p.owner_id where p.id = ${target.id}`
      case "comment":
        return sql`
          select c.id as target_id, a.id as author_id, a.name as author_name,
            left(c.content, ${QUOTE_CHARACTERS}) as text, w.handle, p.slug, c.thread_root_id
          from public_comments c join owners a on a.id = c.author_id
          join public_posts p on p.id = c.post_id join owners w on w.id = p.owner_id
          where c.id = ${target.id} and c.deleted_at is null`
      case "account":
        return sql`
          select id as target_id, id as author_id, name as author_name, null as text, handle, null as slug,
            null as thread_root_id
          from public_owners where lower(handle) = lower(${target.handle})`
    }
  }

  return {
    /** Returns a target; none for one that is unknown, and for one that readers do not see. */
    target: (target: PublicTarget) => maybe("target", TargetRow)`${targetOf(target)}`,

    /** Saves a report, unless the same one is saved, or as many of its target as moderators need. */
    insert: ({ at, fingerprint, id, kind, reason, replyTo, target }: NewReportRow) => run("insert")`
      insert into reports (id, reporter_email, target_kind, target_id, author_id, reason, fingerprint, created_at)
      select ${id}::uuid, ${replyTo}::text, ${kind}::text, ${target.target_id}::uuid, ${target.author_id}::uuid, ${reason}::text,
        ${fingerprint}::bytea, ${at}::timestamptz
      where ${UNRESOLVED_MAX} > (
        select count(*) from (
          select from reports where target_id = ${target.target_id} and target_kind = ${kind}
            and reporter_id is null and resolved_at is null
          limit ${UNRESOLVED_MAX}) unresolved)
      on conflict do nothing`,

    /** Removes the addresses of reports that were resolved before a time. */
    forget: (before: Date) => run("forget")`
      update reports set reporter_email = null where reporter_email is not null and resolved_at < ${before}`
  }
})
