import { Schema } from "effect"
import { IdempotencyKey } from "../../platform/IdempotencyKey.ts"
import { UploadOperationId, UploadTargetId } from "../../platform/Ids.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { AttachmentState } from "../posts/Post.ts"

/** The use of an uploaded file: an image (spec 2.8), or a ZIP that comes with the paid section of a Post. */
export const TargetKind = Schema.Literals(["inline", "og", "avatar", "header", "attachment"])
export type TargetKind = typeof TargetKind.Type

/**
 * The state of an upload operation (spec 3.2). It is `receiving` until its bytes are durable. It is then `queued` and
 * `checking` in turn until it is `cleared`, `rejected` or `failed`. Its author can make it `cancelled`.
 */
export const UploadState = Schema.Literals([
  "receiving",
  "queued",
  "checking",
  "cleared",
  "rejected",
  "failed",
  "cancelled"
])
export type UploadState = typeof UploadState.Type

/** The reason, shown to the author, that an operation waits or failed (spec 2.8). */
export const UploadReason = Schema.Literals([
  "unsupported or incomplete inspection",
  "unavailable scanner",
  "unavailable provider",
  "unavailable inspection",
  "unavailable storage",
  "stale definitions",
  "exhausted attempts"
])
export type UploadReason = typeof UploadReason.Type

/** The stable key of the editor node of an inline image: 1 to 255 characters without white space. */
export const UploadTargetKey = IdempotencyKey

/** The progress and screening state of an upload (spec 2.8, 3.2). */
export const UploadSafety = Schema.Struct({
  operationId: UploadOperationId,
  targetKind: TargetKind,
  /** The Post, or the owner of the Profile. */
  targetId: UploadTargetId,
  /** The editor node of an inline image, the id of an attachment; empty for og, avatar and header. */
  targetKey: Schema.String,
  /** Counts the operations of one target. The highest is current; all others are obsolete. */
  generation: Schema.Int,
  currentGeneration: Schema.Int,
  /** True while the saved Post or Profile refers to `publicUrl`. */
  associated: Schema.Boolean,
  /** False once its author has cancelled it. */
  desired: Schema.Boolean,
  /** True while an administrator holds it. */
  held: Schema.Boolean,
  /** True once the bytes are durable; the client never sends them again. */
  received: Schema.Boolean,
  /** True for a file that is received, cleared, desired, not held and of the current generation. */
  eligible: Schema.Boolean,
  state: UploadState,
  /** The screening policy that applies to the file. */
  policyVersion: Schema.String,
  lastError: Schema.NullOr(UploadReason),
  /** Explains `lastError` in a sentence when there is more to say. */
  detail: Schema.NullOr(Schema.String),
  /** Seconds until the client asks again; 0 once the state is final. */
  retryAfterSeconds: Schema.Int,
  /** True until the bytes are durable: the client may resend the same file with the same Idempotency-Key. */
  reuploadAllowed: Schema.Boolean
}).annotate({ identifier: "UploadSafety" })
export type UploadSafety = typeof UploadSafety.Type

/** Relative URLs: GET `status`, DELETE `cancel`, POST `associate`. */
const UploadActions = Schema.Struct({
  status: Schema.String,
  cancel: Schema.String,
  associate: Schema.String
}).annotate({ identifier: "UploadActions" })

/** A ZIP attachment, as the receipt of its upload shows it. */
const UploadedAttachment = Schema.Struct({
  id: Schema.String,
  fileName: Schema.String,
  byteSize: Schema.Int,
  state: AttachmentState
}).annotate({ identifier: "UploadedAttachment" })

const receipt = {
  safety: UploadSafety,
  /** Null until the public copy exists, and again once readers may not see it. Always null for an attachment. */
  publicUrl: Schema.NullOr(Schema.String),
  /** The current revision of the Post; null for images of a Profile, which has no revision. */
  currentRevision: Schema.NullOr(Timestamp),
  replayed: Schema.Boolean,
  actions: UploadActions,
  /** For an attachment alone: null once it is off its Post. */
  attachment: Schema.optionalKey(Schema.NullOr(UploadedAttachment))
}

/** The receipt of an upload operation (spec 2.8). */
export const UploadReceipt = Schema.Struct(receipt).annotate({ identifier: "UploadReceipt" })
export type UploadReceipt = typeof UploadReceipt.Type

/** The members of a receipt, for the problem that carries one. */
export const uploadReceiptFields = receipt

/** The upload operations of the caller, newest first, at most 200. */
export const UploadOperations = Schema.Struct({ operations: Schema.Array(UploadReceipt) }).annotate({
  identifier: "UploadOperations"
})
export type UploadOperations = typeof UploadOperations.Type

/** The answer to removing the header image; the same when the Profile had none (spec 4.2). */
export const HeaderRemoved = Schema.Struct({ headerImageUrl: Schema.Null }).annotate({
  identifier: "HeaderRemoved"
})
