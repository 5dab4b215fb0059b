import { ServiceError } from "../../platform/errors/ServiceError.ts"

/** The token or the account does not belong to the payment session. */
export class SessionInvalid extends ServiceError<SessionInvalid>()("SessionInvalid") {}

/** The account owns the Post already. */
export class AlreadyPurchased extends ServiceError<AlreadyPurchased>()("AlreadyPurchased") {}

/** The Post has no price. */
export class PostIsFree extends ServiceError<PostIsFree>()("PostIsFree") {}

/** The recipient has no payout address. */
export class TippingUnavailable extends ServiceError<TippingUnavailable>()("TippingUnavailable") {}

/** The payer would pay themselves. */
export class OwnTipTarget extends ServiceError<OwnTipTarget>()("OwnTipTarget") {}
