import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AuthorKind } from "../../../schemas/accounts/profile/Profile.ts"
import { OwnerId, ReportId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { isRestricted } from "../../accounts/owners/owners.sql.ts"
import { statements } from "../../platform/sql/statements.ts"

const AroundRow = Schema.Struct({
  previous: Schema.NullOr(ReportId),
  next: Schema.NullOr(ReportId),
  first: Schema.NullOr(ReportId)
})

/** The first unresolved report of something, and the number of all of them. */
const OfAuthorRow = Schema.Struct({
  id: ReportId,
  kind: Schema.Literals(["post", "comment", "account"]),
  reason: Schema.String,
  created_at: Timestamp,
  reports: Schema.Int
})
export type OfAuthorRow = typeof OfAuthorRow.Type

/** An account of a list for moderators, and the number of unresolved reports about it and its work. */
const ReportedAccountRow = Schema.Struct({
  id: OwnerId,
  handle: Schema.String,
  name: Schema.String,
  author_kind: AuthorKind,
  posts: Schema.Int,
  reports: Schema.Int,
  is_restricted: Schema.Boolean,
  created_at: Timestamp
})
export type ReportedAccountRow = typeof ReportedAccountRow.Type

/** A report as a place in the queue. */
interface Place {
  readonly id: ReportId
  readonly createdAt: Timestamp
  readonly target: { readonly id: string; readonly kind: string }
}

/** Statements over unresolved reports: those next to one in the queue, those of an author, and the accounts with most of them. */
export const reportsAroundStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many, one } = statements(sql, "reportsAround")

  const account = sql.literal(`
    o.id, o.handle, o.name, o.author_kind, o.published_post_count as posts, ${isRestricted("o")} as is_restricted,
    wire_time(o.created_at) as created_at`)

  const isOpen = (report: string, at: Date) =>
    sql`${sql.literal(`${report}.resolved_at is null and (${report}.claimed_until is null or ${report}.claimed_until <=`)} ${at})`

  // "offset 0" looks for an earlier report of the same thing for each row that is reached, and not for the whole queue.

  return {
    /**
     * Finds the open reports before and after a place in the queue, and the first one of all: of other things, each by its
     * first report, and of no work of this moderator.
     */
    around: ({ createdAt, id, target }: Place, moderator: OwnerId, at: Date) => {
      const others = sql`
        select r.id from reports r
        where ${isOpen("r", at)} and r.author_id <> ${moderator}
          and (r.target_id, r.target_kind) <> (${target.id}::uuid, ${target.kind})
          and not exists (
            select from reports e
            where e.target_id = r.target_id and e.target_kind = r.target_kind and ${isOpen("e", at)}
              and (e.created_at, e.id) < (r.created_at, r.id) offset 0)`
      const place = sql`(${createdAt}::timestamptz, ${id}::uuid)`
      return one("around", AroundRow)`
        select
          (${others} and (r.created_at, r.id) < ${place} order by r.created_at desc, r.id desc limit 1) as previous,
          (${others} and (r.created_at, r.id) > ${place} order by r.created_at, r.id limit 1) as next,
          (${others} order by r.created_at, r.id limit 1) as first`
    },

    /** Returns what of an author is reported and not resolved, except one thing, oldest first. */
    ofAuthor: (author: OwnerId, except: string | null, limit: number) => many("ofAuthor", OfAuthorRow)`
      select id, kind, reason, wire_time(created_at) as created_at, reports
      from (
        select distinct on (target_id, target_kind) id, target_kind as kind, reason, created_at,
          (count(*) over (partition by target_id, target_kind))::integer as reports
        from reports
        where author_id = ${author} and resolved_at is null and target_id is distinct from ${except}::uuid
        order by target_id, target_kind, created_at, id) first
      order by first.created_at, first.id limit ${limit}`,

    /** Returns the newest accounts. The greatest ids are the newest ones, because an id begins with its time. */
    newestAccounts: (limit: number) => many("newestAccounts", ReportedAccountRow)`
      select ${account},
        (select count(*)::integer from reports r where r.author_id = o.id and r.resolved_at is null) as reports
      from (select * from owners order by id desc limit ${limit}) o
      order by o.id desc`,

    /** Returns the accounts with the most unresolved reports. */
    mostReported: (limit: number) => many("mostReported", ReportedAccountRow)`
      select ${account}, r.reports
      from (
        select author_id, count(*)::integer as reports from reports where resolved_at is null
        group by author_id order by reports desc, author_id limit ${limit}) r
      join owners o on o.id = r.author_id
      order by r.reports desc, o.id`
  }
})
