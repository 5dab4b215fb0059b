import { Schema } from "effect"
import { ServiceError } from "../../platform/errors/ServiceError.ts"

/** The receipt is unknown, revoked or of another Post: one answer for all of them. */
export class ReceiptInvalid extends ServiceError<ReceiptInvalid>()("ReceiptInvalid") {}

/** The gift token is unknown, malformed or of another Post, or its secret is wrong: one answer for all of them. */
export class GiftInvalid extends ServiceError<GiftInvalid>()("GiftInvalid") {}

/** The file is still being screened, or an administrator holds it. */
export class AttachmentPending extends ServiceError<AttachmentPending>()("AttachmentPending", {
  retryAfterSeconds: Schema.Int
}) {}

/** The range begins behind the end of the file. */
export class RangeNotSatisfiable extends ServiceError<RangeNotSatisfiable>()("RangeNotSatisfiable") {}

/** The author withdrew the Post after it was offered. */
export class PostWithdrawn extends ServiceError<PostWithdrawn>()("PostWithdrawn") {}

/** The time of the gift is over. */
export class GiftExpired extends ServiceError<GiftExpired>()("GiftExpired") {}

/** The author revoked the gift. */
export class GiftRevoked extends ServiceError<GiftRevoked>()("GiftRevoked") {}

/** The gift was redeemed as often as it may be. */
export class GiftExhausted extends ServiceError<GiftExhausted>()("GiftExhausted") {}
