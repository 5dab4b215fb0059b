import { Schema } from "effect"
import { type Obligation, ObligationState } from "../../../schemas/payments/finance/Finance.ts"
import { ObligationId } from "../../../schemas/platform/Ids.ts"
import { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"

export const ObligationRow = Schema.Struct({
  id: ObligationId,
  amount_raw: Schema.String,
  state: ObligationState,
  reason: Schema.NullOr(Schema.Literals(["payout_address_required", "account_restricted"])),
  bound_address: Schema.NullOr(NanoAddress),
  bound_revision: Schema.NullOr(Schema.Int),
  transaction: Schema.NullOr(Schema.String),
  created_at: Timestamp
})
export type ObligationRow = typeof ObligationRow.Type

/** The columns of `ObligationRow`, for `obligations`. */
export const obligationColumns = `
  id, amount_raw::text as amount_raw, state, reason, bound_address, bound_revision,
  upper(encode(block_hash, 'hex')) as transaction, wire_time(created_at) as created_at`

export const obligationOf = (row: ObligationRow): Obligation => ({
  id: row.id,
  amountRaw: row.amount_raw,
  state: row.state,
  reason: row.reason,
  boundAddress: row.bound_address,
  boundRevision: row.bound_revision,
  transaction: row.transaction,
  createdAt: row.created_at
})
