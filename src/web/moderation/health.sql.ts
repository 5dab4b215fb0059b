import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { statements } from "../../platform/sql/statements.ts"

/** Rows of a kind that are counted, at most. */
export const COUNTED_MAX = 10_000

const moment = Schema.NullOr(Timestamp)

/** The rows that wait, and the moments since which they do. */
const HealthRow = Schema.Struct({
  mails: Schema.Int,
  oldest_mail: moment,
  uploads: Schema.Int,
  oldest_upload: moment,
  settlements: Schema.Int,
  oldest_settlement: moment,
  reports: Schema.Int,
  oldest_report: moment,
  last_purchase: moment,
  last_tip: moment
})
export type HealthRow = typeof HealthRow.Type

/** Statements that tell how the service is. */
export const healthStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { one } = statements(sql, "health")
  // The limits are written out, as PostgreSQL plans a limit that is a parameter for all rows.
  const most = sql.literal(String(COUNTED_MAX + 1))

  return {
    /** `lateFrom` is the moment before which an unfinished upload began that is late. */
    read: (lateFrom: Date) => one("read", HealthRow)`
      with mail as (select created_at from mails order by id limit ${most}),
      upload as (
        select created_at from upload_operations
        where (unfinished or held) and (held or created_at < ${lateFrom}) order by created_at, id limit ${most}),
      settlement as (
        select created_at from settlements where due_at is not null order by due_at limit ${most}),
      report as (
        select created_at from reports where resolved_at is null order by created_at, id limit ${most})
      select (select count(*)::integer from mail) as mails, (select wire_time(min(created_at)) from mail) as oldest_mail,
        (select count(*)::integer from upload) as uploads,
        (select wire_time(min(created_at)) from upload) as oldest_upload,
        (select count(*)::integer from settlement) as settlements,
        (select wire_time(min(created_at)) from settlement) as oldest_settlement,
        (select count(*)::integer from report) as reports,
        (select wire_time(min(created_at)) from report) as oldest_report,
        (select wire_time(created_at) from purchases order by id desc limit 1) as last_purchase,
        (select wire_time(created_at) from tips order by id desc limit 1) as last_tip`
  }
})
