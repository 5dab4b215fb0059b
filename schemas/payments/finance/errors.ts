import { Schema } from "effect"
import { ServiceError } from "../../platform/errors/ServiceError.ts"

/** The platform owes the author nothing. */
export class NothingOwed extends ServiceError<NothingOwed>()("NothingOwed") {}

/** The block does not refund the sale. */
export class RefundMismatch extends ServiceError<RefundMismatch>()("RefundMismatch") {}

/** The block already belongs to a payment, another refund or an obligation. */
export class RefundBlockUsed extends ServiceError<RefundBlockUsed>()("RefundBlockUsed") {}

/** The ledger has not confirmed the block yet, or does not have it yet. The same request may succeed later. */
export class BlockUnconfirmed extends ServiceError<BlockUnconfirmed>()("BlockUnconfirmed", {
  retryAfterSeconds: Schema.Int
}) {}
