import { Schema } from "effect"
import { ObligationId } from "../../platform/Ids.ts"
import { NanoAddress } from "../../platform/Nano.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { RawSum, SignedRawSum, Transaction } from "./amounts.ts"
import { Day } from "./period.ts"

const Received = Schema.Struct({ count: Schema.Int, grossRaw: RawSum })

/**
 * Sums of a period. Sales and tips are what payers sent for something; `receivedRaw` is what came to the author's own
 * addresses, duplicates too. The platform collects its fee as whole payments: `accruedRaw` is the fee that it has not
 * collected yet, and is negative if it collected too much. `accruedRaw`, the obligations and the payout address are the
 * current ones.
 */
export const FinanceSummary = Schema.Struct({
  from: Schema.NullOr(Day),
  to: Schema.NullOr(Day),
  sales: Received,
  tips: Received,
  receivedRaw: RawSum,
  fee: Schema.Struct({ bps: Schema.Int, accruedRaw: SignedRawSum, takenRaw: RawSum }),
  obligations: Schema.Struct({ owedRaw: RawSum, blockedRaw: RawSum }),
  refundedRaw: RawSum,
  payout: Schema.Struct({ payoutAddress: Schema.NullOr(NanoAddress), revision: Schema.Int })
}).annotate({ identifier: "FinanceSummary" })
export type FinanceSummary = typeof FinanceSummary.Type

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
