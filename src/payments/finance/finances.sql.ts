import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Period } from "../../../schemas/payments/finance/period.ts"
import type { OwnerId, PostId, SettlementId } from "../../../schemas/platform/Ids.ts"
import { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { CreationMethod } from "../../../schemas/publishing/posts/creation.ts"
import { statements } from "../../platform/sql/statements.ts"
import { daysWithin, receivedColumns, receivedJoins, ReceivedRow, within } from "./received.sql.ts"

const SummaryRow = Schema.Struct({
  sales: Schema.Int,
  sales_raw: Schema.String,
  tips: Schema.Int,
  tips_raw: Schema.String,
  duplicates: Schema.Int,
  duplicates_raw: Schema.String,
  received_raw: Schema.String,
  taken_raw: Schema.String,
  accrued_raw: Schema.String,
  owed_raw: Schema.String,
  blocked_raw: Schema.String,
  refunded_raw: Schema.String,
  payout_address: Schema.NullOr(NanoAddress),
  payout_revision: Schema.Int
})

const SnapshotRow = Schema.Struct({
  ...ReceivedRow.fields,
  sold_title: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  free_content_markdown: Schema.NullOr(Schema.String),
  paid_content_markdown: Schema.NullOr(Schema.String),
  content_sha256: Schema.NullOr(Schema.String),
  creation_method: Schema.NullOr(CreationMethod),
  creation_details: Schema.NullOr(Schema.String),
  language: Schema.NullOr(Schema.String),
  attachments: Schema.NullOr(
    Schema.Array(
      Schema.Struct({
        fileName: Schema.String,
        byteSize: Schema.Int,
        sha256: Schema.optionalKey(Schema.NullOr(Schema.String))
      })
    )
  )
})
export type SnapshotRow = typeof SnapshotRow.Type

const SoldRow = Schema.Struct({ sales: Schema.Int, tips: Schema.Int })

/** A request for payments that an author received, newest first. */
export interface Slice extends Period {
  readonly owner: OwnerId
  /** Both kinds without one. */
  readonly kind?: "purchase" | "tip"
  readonly postId?: PostId
  /** The last payment of the page before. */
  readonly after: { readonly at: string; readonly id: SettlementId } | undefined
  readonly limit: number
}

/** Statements over the payments that authors received. */
export const financeStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many, maybe, one } = statements(sql, "finances")
  const columns = sql.literal(receivedColumns)
  const joins = sql.literal(receivedJoins)
  const during = (column: string, period: Period) => sql.and([sql`true`, ...within(sql, column, period)])

  return {
    // The sums of days include all purchases. Duplicates and payments to the platform are few, and have indexes.
    summary: (owner: OwnerId, period: Period) => one("summary", SummaryRow)`
      select earned.sales, earned.sales_raw::text as sales_raw, earned.tips, earned.tips_raw::text as tips_raw,
        duplicates.count as duplicates, duplicates.sum::text as duplicates_raw,
        (earned.sales_raw + earned.tips_raw + duplicates.sum - taken.sum)::text as received_raw,
        taken.sum::text as taken_raw,
        (select coalesce(sum(accrued_raw), 0) from fee_accounts where owner_id = o.id)::text as accrued_raw,
        owed.owed_raw::text as owed_raw, owed.blocked_raw::text as blocked_raw, refunded.sum::text as refunded_raw,
        o.payout_address, o.payout_revision
      from owners o
      cross join lateral (
        select coalesce(sum(sales), 0)::integer as sales, coalesce(sum(sales_raw), 0) as sales_raw,
          coalesce(sum(tips), 0)::integer as tips, coalesce(sum(tips_raw), 0) as tips_raw
        from earnings_daily where owner_id = o.id and ${daysWithin(sql, "day", period)}) earned
      cross join lateral (
        select count(*)::integer as count, coalesce(sum(amount_raw), 0) as sum from settlements
        where recipient_id = o.id and state = 'settled' and duplicate and ${during("settled_at", period)}) duplicates
      cross join lateral (
        select coalesce(sum(amount_raw), 0) as sum from allocations
        where owner_id = o.id and role = 'platform' and ${during("created_at", period)}) taken
      cross join lateral (
        select coalesce(sum(amount_raw), 0) as sum from refunds
        where owner_id = o.id and ${during("created_at", period)}) refunded
      cross join lateral (
        select coalesce(sum(amount_raw) filter (where state = 'owed'), 0) as owed_raw,
          coalesce(sum(amount_raw) filter (where state = 'blocked'), 0) as blocked_raw
        from obligations where owner_id = o.id) owed
      where o.id = ${owner}`,

    sold: (owner: OwnerId, from: Date, until: Date) => one("sold", SoldRow)`
      select count(*) filter (where kind = 'purchase')::integer as sales,
        count(*) filter (where kind = 'tip')::integer as tips
      from settlements where recipient_id = ${owner} and state = 'settled' and not duplicate
        and settled_at >= ${from} and settled_at < ${until}`,

    received: ({ after, kind, limit, owner, postId, ...period }: Slice) => {
      const conditions = [
        sql`recipient_id = ${owner} and state = 'settled'`,
        ...(kind === undefined ? [] : [sql`kind = ${kind}`]),
        ...(postId === undefined ? [] : [sql`post_id = ${postId}`]),
        ...within(sql, "settled_at", period),
        ...(after === undefined
          ? []
          : [sql`(settled_at, id) < (${after.at}::timestamptz, ${after.id}::uuid)`])
      ]
      // The limit is written out: planned for a limit that is a parameter, PostgreSQL 15 reads the whole table.
      return many("received", ReceivedRow)`
        select ${columns}
        from (
          select * from settlements where ${sql.and(conditions)}
          order by settled_at desc, id desc limit ${sql.literal(String(limit))}) s
        ${joins}
        order by s.settled_at desc, s.id desc`
    },

    /** Returns payments that have settled, in any order. */
    byIds: (ids: ReadonlyArray<SettlementId>) => many("byIds", ReceivedRow)`
      select ${columns} from (
        select * from settlements where id = any(${ids}::uuid[]) and state = 'settled') s ${joins}`,

    /** Finds a sale by its id or by that of its purchase; none for that of another owner. */
    sale: (owner: OwnerId, id: SettlementId) => maybe("sale", SnapshotRow)`
      select ${columns}, v.title as sold_title, v.description, v.free_content_markdown, v.paid_content_markdown,
        encode(v.sha256, 'hex') as content_sha256, v.creation_method, v.creation_details, v.language, v.attachments
      from (
        select * from settlements
        where id = coalesce((select settlement_id from purchases where purchases.id = ${id}::uuid), ${id}::uuid)
          and recipient_id = ${owner} and kind = 'purchase' and state = 'settled') s
      ${joins}`
  }
})
