import { Schema } from "effect"
import { ServiceError } from "../../platform/errors/ServiceError.ts"

/** The receipt is unknown, revoked or for another Post: all of them get the same answer. */
export class ReceiptInvalid extends ServiceError<ReceiptInvalid>()("ReceiptInvalid") {}

/**
 * The gift token is unknown, malformed or for another Post, or its secret is wrong: all of them get the same answer.
 */
export class GiftInvalid extends ServiceError<GiftInvalid>()("GiftInvalid") {}

/** The file is still being screened, or an administrator holds it. */
export class AttachmentPending extends ServiceError<AttachmentPending>()("AttachmentPending", {
  retryAfterSeconds: Schema.Int
}) {}

/** The caller paid for the Post, and the file is not on it any more, or was not when they bought the Post. */
export class AttachmentRemoved extends ServiceError<AttachmentRemoved>()("AttachmentRemoved") {}

/** The range begins after the end of the file. */
export class RangeNotSatisfiable extends ServiceError<RangeNotSatisfiable>()("RangeNotSatisfiable") {}

/** The author withdrew the Post after it was offered. */
export class PostWithdrawn extends ServiceError<PostWithdrawn>()("PostWithdrawn") {}

/** The gift has expired. */
export class GiftExpired extends ServiceError<GiftExpired>()("GiftExpired") {}

/** The author revoked the gift. */
export class GiftRevoked extends ServiceError<GiftRevoked>()("GiftRevoked") {}

/** The gift has no redemptions left. */
export class GiftExhausted extends ServiceError<GiftExhausted>()("GiftExhausted") {}
