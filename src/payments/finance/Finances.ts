import { Context, Effect, Layer, Option, Schema, Stream } from "effect"
import { RawSum } from "../../../schemas/payments/finance/amounts.ts"
import {
  EARNING_DAYS_DEFAULT,
  EARNING_POSTS_DEFAULT,
  type EarningsByDay,
  type EarningsByDayQuery,
  type EarningsByPost,
  type EarningsByPostQuery,
  type EarningsOfDay,
  type EarningsOfPost,
  type FinanceSummary
} from "../../../schemas/payments/finance/Finance.ts"
import { Day, type Period } from "../../../schemas/payments/finance/period.ts"
import {
  type ExportQuery,
  FINANCE_PAGE_DEFAULT,
  type FinanceQuery,
  type ReceivedTip,
  type ReceivedTips,
  type Sale,
  type Sales,
  type SaleSnapshot
} from "../../../schemas/payments/finance/Sale.ts"
import { NotFound, Validation } from "../../../schemas/platform/errors/common.ts"
import { type OwnerId, SettlementId } from "../../../schemas/platform/Ids.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { csvLine } from "../../platform/csv/csvLine.ts"
import { Cursors } from "../../platform/cursors/Cursors.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { CSV_HEADER, csvCellsOf } from "./csv.ts"
import { type DayRow, type EarningSums, earningStatements, type PostRow } from "./earnings.sql.ts"
import { financeStatements, type Slice } from "./finances.sql.ts"
import type { ReceivedRow } from "./received.sql.ts"
import { receivedTipOf, saleOf, saleSnapshotOf } from "./receivedPayment.ts"

/** Number of payments that one statement of an export reads. */
const EXPORT_ROWS = 500

const KINDS = { sales: "purchase", tips: "tip", all: undefined } as const

/** The finances of an owner, which only the owner sees. */
export class Finances extends Context.Service<
  Finances,
  {
    readonly summary: (owner: OwnerAuthority, period: Period) => Effect.Effect<FinanceSummary>
    /** Sums up sales and tips by day, newest first. Fails for a cursor of another list. */
    readonly byDay: (
      owner: OwnerAuthority,
      query: EarningsByDayQuery
    ) => Effect.Effect<EarningsByDay, Validation>
    /** Sums up sales and tips by Post, the largest sums first, in the same way. */
    readonly byPost: (
      owner: OwnerAuthority,
      query: EarningsByPostQuery
    ) => Effect.Effect<EarningsByPost, Validation>
    /** Lists sales, newest first. Fails for a cursor of another list. */
    readonly sales: (owner: OwnerAuthority, query: FinanceQuery) => Effect.Effect<Sales, Validation>
    /** Lists tips in the same way. */
    readonly tips: (owner: OwnerAuthority, query: FinanceQuery) => Effect.Effect<ReceivedTips, Validation>
    /** Returns payments of any authors as their lists have them, in any order. */
    readonly paymentsById: (
      ids: ReadonlyArray<SettlementId>
    ) => Effect.Effect<{ readonly sales: ReadonlyArray<Sale>; readonly tips: ReadonlyArray<ReceivedTip> }>
    /** Returns a sale with the Post as it was sold, by its id or by that of its purchase. */
    readonly sale: (owner: OwnerAuthority, id: SettlementId) => Effect.Effect<SaleSnapshot, NotFound>
    /** Returns all payments of a period as lines of a table, newest first. */
    readonly exported: (owner: OwnerAuthority, query: ExportQuery) => Stream.Stream<string>
    /** Counts the sales and tips that settled from the first moment on, and before the second. */
    readonly sold: (
      owner: OwnerId,
      from: Date,
      until: Date
    ) => Effect.Effect<{ readonly sales: number; readonly tips: number }>
  }
>()("pennypress/payments/finance/Finances") {
  static readonly layer = Layer.effect(
    Finances,
    Effect.gen(function* () {
      const repo = yield* financeStatements
      const earnings = yield* earningStatements
      const cursors = yield* Cursors
      const media = yield* OwnMedia
      const { platformFeeBps: bps } = yield* Settings

      /** Reads a page of a list. A cursor belongs to the list, which its owner and its filters name. */
      const paged = Effect.fnUntraced(function* <Row, Place>(
        list: ReadonlyArray<string | undefined>,
        { cursor = "", limit }: { readonly cursor?: string; readonly limit: number },
        {
          placeOf: decode,
          positionOf,
          read
        }: {
          readonly placeOf: (position: ReadonlyArray<string>) => Option.Option<Place>
          readonly read: (after: Place | undefined, limit: number) => Effect.Effect<ReadonlyArray<Row>>
          readonly positionOf: (row: Row) => ReadonlyArray<string>
        }
      ) {
        const name = JSON.stringify(["finance", ...list])
        const place = cursor === "" ? undefined : Option.flatMap(yield* cursors.read(name, cursor), decode)
        if (place !== undefined && Option.isNone(place)) return yield* wrongCursor()
        const rows = yield* read(place?.value, limit + 1)
        const shown = rows.slice(0, limit)
        const last = rows.length > limit ? shown.at(-1) : undefined
        const nextCursor = last === undefined ? null : yield* cursors.make(name, positionOf(last))
        return { rows: shown, pagination: { limit, nextCursor, hasMore: nextCursor !== null } }
      })

      /** Lists one kind of payments. */
      const page = Effect.fnUntraced(function* <A>(
        { ownerId: owner }: OwnerAuthority,
        kind: "purchase" | "tip",
        { cursor = "", limit = FINANCE_PAGE_DEFAULT, ...filter }: FinanceQuery,
        itemOf: (row: ReceivedRow, media: OwnMedia["Service"]) => A
      ) {
        const list = [owner, kind, filter.postId, filter.from, filter.to]
        const { pagination, rows } = yield* paged(
          list,
          { cursor, limit },
          {
            placeOf: (position) => Option.map(decodePosition(position), placeOf),
            read: (after, rows) => repo.received({ ...filter, owner, kind, after, limit: rows }),
            positionOf: (row) => [row.confirmed_at, row.id]
          }
        )
        return { data: rows.map((row) => itemOf(row, media)), pagination }
      })

      return Finances.of({
        summary: Effect.fn("Finances.summary")(function* ({ ownerId }, period) {
          const row = yield* repo.summary(ownerId, period)
          return {
            from: period.from ?? null,
            to: period.to ?? null,
            sales: { count: row.sales, grossRaw: row.sales_raw },
            tips: { count: row.tips, grossRaw: row.tips_raw },
            duplicates: { count: row.duplicates, grossRaw: row.duplicates_raw },
            receivedRaw: row.received_raw,
            fee: { bps, accruedRaw: row.accrued_raw, takenRaw: row.taken_raw },
            obligations: { owedRaw: row.owed_raw, blockedRaw: row.blocked_raw },
            refundedRaw: row.refunded_raw,
            payout: { payoutAddress: row.payout_address, revision: row.payout_revision }
          }
        }),

        byDay: Effect.fn("Finances.byDay")(function* (
          { ownerId: owner },
          { cursor = "", limit = EARNING_DAYS_DEFAULT, ...period }
        ) {
          const { pagination, rows } = yield* paged(
            [owner, "days", period.from, period.to],
            { cursor, limit },
            {
              placeOf: (position) => Option.map(decodeDay(position), ([day]) => day),
              read: (after, days) => earnings.byDay({ ...period, owner, after, limit: days }),
              positionOf: ({ day }) => [day]
            }
          )
          return { data: rows.map(earningsOfDay), pagination }
        }),

        byPost: Effect.fn("Finances.byPost")(function* (
          { ownerId: owner },
          { cursor = "", limit = EARNING_POSTS_DEFAULT, ...period }
        ) {
          const { pagination, rows } = yield* paged(
            [owner, "posts", period.from, period.to],
            { cursor, limit },
            {
              placeOf: (position) =>
                Option.map(decodeSum(position), ([earnedRaw, place]) => ({ earnedRaw, place })),
              read: (after, posts) => earnings.byPost({ ...period, owner, after, limit: posts }),
              positionOf: (row) => [row.earned_raw, row.place]
            }
          )
          return { data: rows.map(earningsOfPost), pagination }
        }),

        sales: Effect.fn("Finances.sales")((owner, query) => page(owner, "purchase", query, saleOf)),

        tips: Effect.fn("Finances.tips")((owner, query) => page(owner, "tip", query, receivedTipOf)),

        sale: Effect.fn("Finances.sale")(function* ({ ownerId }, id) {
          const row = yield* repo.sale(ownerId, id)
          if (Option.isNone(row)) return yield* new NotFound()
          return saleSnapshotOf(row.value, media)
        }),

        paymentsById: Effect.fn("Finances.paymentsById")(function* (ids) {
          const rows = yield* repo.byIds(ids)
          const of = (kind: ReceivedRow["kind"]) => rows.filter((row) => row.kind === kind)
          return {
            sales: of("purchase").map((row) => saleOf(row, media)),
            tips: of("tip").map((row) => receivedTipOf(row, media))
          }
        }),

        exported: ({ ownerId: owner }, { kind = "all", ...period }) => {
          const of = KINDS[kind]
          const only = of === undefined ? {} : { kind: of }
          const pageAfter = (after: Slice["after"]) =>
            Effect.map(repo.received({ ...period, ...only, owner, after, limit: EXPORT_ROWS }), (rows) => {
              const last = rows.length < EXPORT_ROWS ? undefined : rows.at(-1)
              const next =
                last === undefined ? Option.none() : Option.some(placeOf([last.confirmed_at, last.id]))
              return [rows.map((row) => csvLine(csvCellsOf(row))), next] as const
            })
          return Stream.concat(
            Stream.make(csvLine(CSV_HEADER)),
            Stream.paginate<Slice["after"], string>(undefined, pageAfter)
          )
        },

        sold: repo.sold
      })
    })
  )
}

const decodePosition = Schema.decodeUnknownOption(Schema.Tuple([Timestamp, SettlementId]))

const decodeDay = Schema.decodeUnknownOption(Schema.Tuple([Day]))

/** The sum of a Post, and its place among those of the same sum. */
const decodeSum = Schema.decodeUnknownOption(Schema.Tuple([RawSum, Schema.String]))

const sumsOf = (row: EarningSums) => ({
  sales: { count: row.sales, grossRaw: row.sales_raw },
  tips: { count: row.tips, grossRaw: row.tips_raw }
})

const earningsOfDay = (row: DayRow): EarningsOfDay => ({ day: row.day, ...sumsOf(row) })

const earningsOfPost = (row: PostRow): EarningsOfPost => ({
  postId: row.post_id,
  title: row.title,
  ...sumsOf(row)
})

const placeOf = ([at, id]: readonly [Timestamp, SettlementId]) => ({ at, id })

const wrongCursor = () =>
  new Validation({
    errors: [
      {
        field: "cursor",
        code: "invalid",
        message: "Send the nextCursor of this list with the same filters, or an empty cursor to begin"
      }
    ]
  })
