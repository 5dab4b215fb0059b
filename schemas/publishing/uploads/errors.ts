import { Schema } from "effect"
import { Problem } from "../../platform/errors/Problem.ts"
import { UploadOperationId } from "../../platform/Ids.ts"
import { uploadReceiptFields } from "./Upload.ts"

/** How to learn what became of an upload whose answer is uncertain (specification 4.4.7). */
const UploadRecovery = Schema.Struct({
  requestKey: Schema.String,
  /** A relative URL that answers `{operations}`, empty while there is none. */
  statusUrl: Schema.String
}).annotate({ identifier: "UploadRecovery" })

/** What an answer says that cannot tell whether the upload happened. */
const uncertain = {
  recovery: Schema.optionalKey(UploadRecovery),
  /** Once the operation is known to be there. */
  operationId: Schema.optionalKey(UploadOperationId)
}

/** The body is not multipart, or ended early (specification 4.4). */
export class MalformedMultipart extends Problem<MalformedMultipart>()(
  "MalformedMultipart",
  "malformed-multipart",
  uncertain
) {}

/** There is no valid Content-Length (specification 7). */
export class LengthRequired extends Problem<LengthRequired>()("LengthRequired", "length-required") {}

/** The same Idempotency-Key for another file or another target. */
export class UploadConflict extends Problem<UploadConflict>()("UploadConflict", "upload-conflict") {}

/** A limit of specification 8 on the uploads of a Profile. */
export class UploadLimitReached extends Problem<UploadLimitReached>()(
  "UploadLimitReached",
  "upload-limit-reached",
  {
    /** Which one, as specification 8 has them. */
    limit: Schema.Literals([
      "unfinished_operations",
      "staged_bytes",
      "transfers_per_minute",
      "transfers_per_day",
      "transfer_bytes_per_day"
    ]),
    retryAfterSeconds: Schema.Int
  }
) {}

/** The operation is held (specification 3.2.8). It carries the receipt. */
export class ScreeningBlocked extends Problem<ScreeningBlocked>()(
  "ScreeningBlocked",
  "screening-blocked",
  uploadReceiptFields
) {}

/** Whether the upload happened is uncertain: something that it needs went away (specification 4.4.7). */
export class UploadUnavailable extends Problem<UploadUnavailable>()(
  "UploadUnavailable",
  "dependency-unavailable",
  uncertain
) {}

/** Whether the upload happened is uncertain: something failed on our side. */
export class UploadFailed extends Problem<UploadFailed>()("UploadFailed", "internal-error", uncertain) {}
