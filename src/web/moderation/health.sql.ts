import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { unresolvedReports } from "../../engagement/reports/reportQueue.sql.ts"
import { newestPurchase } from "../../payments/purchases/purchases.sql.ts"
import { unresolvedSettlements } from "../../payments/settlement/unresolvedSettlements.sql.ts"
import { newestTip } from "../../payments/tips/tips.sql.ts"
import { waitingMails } from "../../platform/mail/mails.sql.ts"
import { statements } from "../../platform/sql/statements.ts"
import { stuckUploads } from "../../publishing/uploads/operation/operations.sql.ts"

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

  /** Counts the rows of a queue. The limit is written out, as PostgreSQL plans one that is a parameter for all rows. */
  const counted = (queue: Statement.Fragment) => sql`(
    select count(*)::integer as rows, wire_time(min(created_at)) as oldest
    from (${queue} limit ${sql.literal(String(COUNTED_MAX + 1))}) queue)`

  return {
    /** `lateFrom` is the moment before which an unfinished upload began that is late. */
    read: (lateFrom: Date) => one("read", HealthRow)`
      select mail.rows as mails, mail.oldest as oldest_mail, upload.rows as uploads, upload.oldest as oldest_upload,
        settlement.rows as settlements, settlement.oldest as oldest_settlement,
        report.rows as reports, report.oldest as oldest_report,
        (select wire_time(created_at) from (${sql.literal(newestPurchase)}) newest) as last_purchase,
        (select wire_time(created_at) from (${sql.literal(newestTip)}) newest) as last_tip
      from ${counted(sql.literal(waitingMails))} mail, ${counted(stuckUploads(sql, lateFrom))} upload,
        ${counted(sql.literal(unresolvedSettlements))} settlement, ${counted(sql.literal(unresolvedReports))} report`
  }
})
