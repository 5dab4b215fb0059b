import { ServiceError } from "../../platform/errors/ServiceError.ts"

/** The platform owes the author nothing. */
export class NothingOwed extends ServiceError<NothingOwed>()("NothingOwed") {}

/** The block does not refund the sale. */
export class RefundMismatch extends ServiceError<RefundMismatch>()("RefundMismatch") {}

/** The block is that of a payment, of another refund or of an obligation. */
export class RefundBlockUsed extends ServiceError<RefundBlockUsed>()("RefundBlockUsed") {}
