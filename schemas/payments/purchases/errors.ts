import { ServiceError } from "../../platform/errors/ServiceError.ts"

/** Another account has the purchase of the receipt, or the account already has the Post. */
export class AlreadyOwned extends ServiceError<AlreadyOwned>()("AlreadyOwned") {}

/** The block paid for something already. */
export class BlockAlreadyUsed extends ServiceError<BlockAlreadyUsed>()("BlockAlreadyUsed") {}

/** The block does not pay for the Post, or does not come from the login wallet. */
export class ClaimMismatch extends ServiceError<ClaimMismatch>()("ClaimMismatch") {}
