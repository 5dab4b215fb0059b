import { Context, Effect, Layer, Option, Schema, Stream } from "effect"
import type { FinanceSummary } from "../../../schemas/payments/finance/Finance.ts"
import type { Period } from "../../../schemas/payments/finance/period.ts"
import {
  type ExportQuery,
  FINANCE_PAGE_DEFAULT,
  type FinanceQuery,
  type ReceivedTips,
  type Sales,
  type SaleSnapshot
} from "../../../schemas/payments/finance/Sale.ts"
import { NotFound, Validation } from "../../../schemas/platform/errors/common.ts"
import { type OwnerId, SettlementId } from "../../../schemas/platform/Ids.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { Cursors } from "../../platform/cursors/Cursors.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { CSV_HEADER, csvCellsOf, csvLine } from "./csv.ts"
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
    /** Lists sales, newest first. Fails for a cursor of another list. */
    readonly sales: (owner: OwnerAuthority, query: FinanceQuery) => Effect.Effect<Sales, Validation>
    /** Lists tips in the same way. */
    readonly tips: (owner: OwnerAuthority, query: FinanceQuery) => Effect.Effect<ReceivedTips, Validation>
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
      const cursors = yield* Cursors
      const { platformFeeBps: bps } = yield* Settings

      /** Lists one kind of payments. A cursor belongs to the owner, the kind and the filters. */
      const page = Effect.fnUntraced(function* <A>(
        { ownerId: owner }: OwnerAuthority,
        kind: "purchase" | "tip",
        { cursor = "", limit = FINANCE_PAGE_DEFAULT, ...filter }: FinanceQuery,
        itemOf: (row: ReceivedRow) => A
      ) {
        const list = JSON.stringify(["finance", owner, kind, filter.postId, filter.from, filter.to])
        const position =
          cursor === "" ? undefined : Option.flatMap(yield* cursors.read(list, cursor), decodePosition)
        if (position !== undefined && Option.isNone(position)) return yield* wrongCursor()
        const after = position === undefined ? undefined : placeOf(position.value)
        const rows = yield* repo.received({ ...filter, owner, kind, after, limit: limit + 1 })
        const shown = rows.slice(0, limit)
        const last = rows.length > limit ? shown.at(-1) : undefined
        const nextCursor = last === undefined ? null : yield* cursors.make(list, [last.confirmed_at, last.id])
        return {
          data: shown.map(itemOf),
          pagination: { limit, nextCursor, hasMore: nextCursor !== null }
        }
      })

      return Finances.of({
        summary: Effect.fn("Finances.summary")(function* ({ ownerId }, period) {
          const row = yield* repo.summary(ownerId, period)
          return {
            from: period.from ?? null,
            to: period.to ?? null,
            sales: { count: row.sales, grossRaw: row.sales_raw },
            tips: { count: row.tips, grossRaw: row.tips_raw },
            receivedRaw: row.received_raw,
            fee: { bps, accruedRaw: row.accrued_raw, takenRaw: row.taken_raw },
            obligations: { owedRaw: row.owed_raw, blockedRaw: row.blocked_raw },
            refundedRaw: row.refunded_raw,
            payout: { payoutAddress: row.payout_address, revision: row.payout_revision }
          }
        }),

        sales: Effect.fn("Finances.sales")((owner, query) => page(owner, "purchase", query, saleOf)),

        tips: Effect.fn("Finances.tips")((owner, query) => page(owner, "tip", query, receivedTipOf)),

        sale: Effect.fn("Finances.sale")(function* ({ ownerId }, id) {
          const row = yield* repo.sale(ownerId, id)
          if (Option.isNone(row)) return yield* new NotFound()
          return saleSnapshotOf(row.value)
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
