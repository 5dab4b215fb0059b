import { Schema } from "effect"
import { Cursor, pagination } from "../../platform/Cursor.ts"
import { ObligationId, PostId } from "../../platform/Ids.ts"
import { NanoAddress } from "../../platform/Nano.ts"
import { queryInteger } from "../../platform/queryInteger.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { RawSum, SignedRawSum, Transaction } from "./amounts.ts"
import { Day, period } from "./period.ts"

const Received = Schema.Struct({ count: Schema.Int, grossRaw: RawSum })

/**
 * Sums of a period. Sales and tips are what payers sent for something. Duplicates are second payments for Posts that their
 * payers already had. `receivedRaw` is what came to the author's own addresses, duplicates too. The platform collects its fee as whole payments: `accruedRaw` is the fee that it has not
 * collected yet, and is negative if it collected too much. `accruedRaw`, the obligations and the payout address are the
 * current ones.
 */
export const FinanceSummary = Schema.Struct({
  from: Schema.NullOr(Day),
  to: Schema.NullOr(Day),
  sales: Received,
  tips: Received,
  duplicates: Received,
  receivedRaw: RawSum,
  fee: Schema.Struct({ bps: Schema.Int, accruedRaw: SignedRawSum, takenRaw: RawSum }),
  obligations: Schema.Struct({ owedRaw: RawSum, blockedRaw: RawSum }),
  refundedRaw: RawSum,
  payout: Schema.Struct({ payoutAddress: Schema.NullOr(NanoAddress), revision: Schema.Int })
}).annotate({ identifier: "FinanceSummary" })
export type FinanceSummary = typeof FinanceSummary.Type

/** Days of a list of earnings: a month by default, and a year at most. */
export const EARNING_DAYS_DEFAULT = 31
export const EARNING_DAYS_MAX = 366
export const EARNING_POSTS_DEFAULT = 50
export const EARNING_POSTS_MAX = 100

/** A page of the days of a period. An empty cursor begins the list. */
export const EarningsByDayQuery = Schema.Struct({
  ...period,
  limit: Schema.optionalKey(
    queryInteger({ minimum: 1, maximum: EARNING_DAYS_MAX, default: EARNING_DAYS_DEFAULT })
  ),
  cursor: Schema.optionalKey(Cursor)
})
export type EarningsByDayQuery = typeof EarningsByDayQuery.Type

/** A page of the Posts that earned something in a period. An empty cursor begins the list. */
export const EarningsByPostQuery = Schema.Struct({
  ...period,
  limit: Schema.optionalKey(
    queryInteger({ minimum: 1, maximum: EARNING_POSTS_MAX, default: EARNING_POSTS_DEFAULT })
  ),
  cursor: Schema.optionalKey(Cursor)
})
export type EarningsByPostQuery = typeof EarningsByPostQuery.Type

/** The earnings of a day in UTC: all that payers sent for something. */
export const EarningsOfDay = Schema.Struct({ day: Day, sales: Received, tips: Received }).annotate({
  identifier: "EarningsOfDay"
})
export type EarningsOfDay = typeof EarningsOfDay.Type

/** The days with earnings, newest first. */
export const EarningsByDay = Schema.Struct({ data: Schema.Array(EarningsOfDay), pagination }).annotate({
  identifier: "EarningsByDay"
})
export type EarningsByDay = typeof EarningsByDay.Type

/** The earnings of a Post. Without a Post, these are the tips to Comments and to the Profile. */
export const EarningsOfPost = Schema.Struct({
  postId: Schema.NullOr(PostId),
  title: Schema.NullOr(Schema.String),
  sales: Received,
  tips: Received
}).annotate({ identifier: "EarningsOfPost" })
export type EarningsOfPost = typeof EarningsOfPost.Type

/** The Posts with earnings, those that earned most first. */
export const EarningsByPost = Schema.Struct({ data: Schema.Array(EarningsOfPost), pagination }).annotate({
  identifier: "EarningsByPost"
})
export type EarningsByPost = typeof EarningsByPost.Type

/** `blocked` needs a payout address that its owner binds; `owed` waits for the operator. */
export const ObligationState = Schema.Literals(["blocked", "owed", "paid"])

/** Money that the platform received and owes to an author. */
export const Obligation = Schema.Struct({
  id: ObligationId,
  amountRaw: RawSum,
  state: ObligationState,
  reason: Schema.NullOr(Schema.Literals(["payout_address_required", "account_restricted"])),
  boundAddress: Schema.NullOr(NanoAddress),
  boundRevision: Schema.NullOr(Schema.Int),
  transaction: Schema.NullOr(Transaction),
  createdAt: Timestamp
}).annotate({ identifier: "Obligation" })
export type Obligation = typeof Obligation.Type

/** The obligations of an author, newest first. */
export const Obligations = Schema.Struct({ data: Schema.Array(Obligation) }).annotate({
  identifier: "Obligations"
})
export type Obligations = typeof Obligations.Type

/** The revision of the payout address to bind, which must be the current one. */
export const BindRequest = Schema.Struct({
  revision: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_147_483_647 }))
}).annotate({ identifier: "BindRequest" })
