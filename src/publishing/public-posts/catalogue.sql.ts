import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { summaryColumns, type SummaryRow } from "../discovery/summary.ts"

/** A Post that is for sale. `place` is the time of its publication in microseconds since 1970. */
export interface ForSaleRow extends SummaryRow {
  readonly price_raw: string
  readonly payout_address: NanoAddress
  readonly place: string
}

/** The end of a page: the place and the id of its last Post. */
interface Place {
  readonly place: string
  readonly id: PostId
}

/** A slice that begins after a place, or after a number of Posts. */
interface Slice {
  readonly after: Place | undefined
  readonly offset: number
  readonly limit: number
}

/** Statements that read the Posts that are for sale, newest first. */
export const catalogueStatements = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Returns a slice and one Post beyond it, when there are more, with the number of all. */
  // The inner walk reads only the index, so an offset costs little. Each row has the total; without Posts, one
  // row has only the total. `offset 0` keeps the planner from reading all owners or counts. The limit is a literal: a
  // plan for any limit reads all Posts with several workers (PostgreSQL 15).
  slice: ({ after, limit, offset }: Slice) => {
    const beyond =
      after === undefined
        ? sql``
        : sql`and (published_at, id) <
            (timestamptz 'epoch' + ${after.place}::bigint * interval '1 microsecond', ${after.id}::uuid)`
    const skipped = offset === 0 ? sql`` : sql`offset ${offset}`
    return sql<ForSaleRow & { readonly total: number }>`
      select counted.total, listed.*
      from (select coalesce(sum(for_sale), 0)::integer as total from published_post_counts) counted
      left join (
        select ${sql.literal(summaryColumns)}, o.payout_address,
          (extract(epoch from p.published_at) * 1000000)::bigint::text as place,
          row_number() over (order by chosen.published_at desc, chosen.id desc) as position
        from (
          select id, published_at from public_posts
          where enable_paywall ${beyond}
          order by published_at desc, id desc limit ${sql.literal(String(limit + 1))} ${skipped}) chosen
        cross join lateral (select * from posts where posts.id = chosen.id offset 0) p
        cross join lateral (select * from owners where owners.id = p.owner_id offset 0) o
        cross join lateral (select * from post_counts where post_id = p.id offset 0) n) listed on true
      order by listed.position`.pipe(
      Effect.map((rows) => ({
        total: rows[0]?.total ?? 0,
        rows: rows[0]?.id === null ? [] : rows
      })),
      Effect.orDie
    )
  }
}))
