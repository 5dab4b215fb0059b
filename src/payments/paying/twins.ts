import { PaymentRefused, type SettlementPending } from "../../../schemas/payments/x402/errors.ts"
import type { PaymentRefusalCode } from "../../../schemas/payments/x402/refusals.ts"
import type { ClaimRefused } from "../settlement/Settlements.ts"
import { type CheckedBlock, refusalOf } from "../x402/checkBlock.ts"
import { changed, type Sale } from "./Sale.ts"

/** A twin of this request, with the same payment, may have been faster. `otherwise` is the answer when there is none. */
export class TwinSuspected {
  readonly _tag = "TwinSuspected"
  readonly otherwise: PaymentRefused | SettlementPending
  constructor(otherwise: PaymentRefused | SettlementPending) {
    this.otherwise = otherwise
  }
}

/** Refusals that a twin of this request causes when it sends the same block in between. */
const TWIN_CODES: ReadonlySet<PaymentRefusalCode> = new Set([
  "block_already_exists",
  "block_already_used",
  "frontier_moved",
  "previous_in_flight"
])

export const isSuspicion = (error: unknown): error is TwinSuspected => error instanceof TwinSuspected

/** Returns true for an error after which a twin may have paid: it may have seen the ledger at another moment. */
export const mayHaveTwin = (error: unknown): error is TwinSuspected | PaymentRefused =>
  isSuspicion(error) || error instanceof PaymentRefused

/** Returns a suspicion for a refusal that a twin causes, and another error as it is. */
export const suspecting = (error: TwinSuspected | PaymentRefused) =>
  !isSuspicion(error) && TWIN_CODES.has(error.code) ? new TwinSuspected(error) : error

/** Returns the error of a claim that found no place. */
export const claimErrorOf = <Refusal>(
  reason: ClaimRefused["reason"],
  { withdrawn }: Sale<Refusal>,
  block: CheckedBlock
): Refusal | PaymentRefused | TwinSuspected => {
  switch (reason) {
    case "withdrawn":
      return withdrawn()
    case "previous_in_flight":
      return refusalOf(reason, block)
    case "terms_changed":
    case "free":
      return changed
    case "already":
      return new TwinSuspected(changed)
  }
}
