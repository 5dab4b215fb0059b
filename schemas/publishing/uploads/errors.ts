import { Schema } from "effect"
import { ServiceError } from "../../platform/errors/ServiceError.ts"
import { UploadOperationId } from "../../platform/Ids.ts"
import { uploadReceiptFields } from "./Upload.ts"

/** Tells the caller where to look up an upload whose outcome is uncertain (spec 4.4.7). */
const UploadRecovery = Schema.Struct({
  requestKey: Schema.String,
  /** A relative URL that answers `{operations}`, which is empty while no operation exists. */
  statusUrl: Schema.String
}).annotate({ identifier: "UploadRecovery" })

/** Members of an error that leaves the outcome of the upload uncertain. */
const uncertain = {
  recovery: Schema.optionalKey(UploadRecovery),
  /** Present once the service knows that the operation exists. */
  operationId: Schema.optionalKey(UploadOperationId)
}

/** The body is not multipart or ended early (spec 4.4). */
export class MalformedMultipart extends ServiceError<MalformedMultipart>()("MalformedMultipart", uncertain) {}

/** The request lacks a valid Content-Length (spec 7). */
export class LengthRequired extends ServiceError<LengthRequired>()("LengthRequired") {}

/** The caller used the Idempotency-Key before, for another file or target. */
export class UploadConflict extends ServiceError<UploadConflict>()("UploadConflict") {}

/** The uploads of a Profile reached a limit of spec 8. */
export class UploadLimitReached extends ServiceError<UploadLimitReached>()("UploadLimitReached", {
  /** The limit that was reached (spec 8). */
  limit: Schema.Literals([
    "unfinished_operations",
    "staged_bytes",
    "transfers_per_minute",
    "transfers_per_day",
    "transfer_bytes_per_day",
    "post_attachments"
  ]),
  retryAfterSeconds: Schema.Int
}) {}

/** An administrator holds the operation (spec 3.2.8). The problem carries the receipt. */
export class ScreeningBlocked extends ServiceError<ScreeningBlocked>()(
  "ScreeningBlocked",
  uploadReceiptFields
) {}

/** The outcome of the upload is uncertain because a dependency became unavailable (spec 4.4.7). */
export class UploadUnavailable extends ServiceError<UploadUnavailable>()("UploadUnavailable", uncertain) {}

/** The outcome of the upload is uncertain because of a fault in the service. */
export class UploadFailed extends ServiceError<UploadFailed>()("UploadFailed", uncertain) {}
