import { Schema } from "effect"
import { UploadOperationId, UploadTargetId } from "../../platform/Ids.ts"
import { IdempotencyKey } from "../../platform/Text.ts"
import { Timestamp } from "../../platform/Timestamp.ts"

/** What an image is for (specification 2.8). */
export const TargetKind = Schema.Literals(["inline", "og", "avatar", "header"])
export type TargetKind = typeof TargetKind.Type

/**
 * `receiving` until its bytes are durable; then `queued` and `checking` in turn until it is `cleared`, `rejected` or
 * `failed`; `cancelled` when its author no longer wants it (specification 3.2).
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

/** Why an operation waits or failed, for its author (specification 2.8). */
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

/** The stable key of the editor node that an inline image is for: 1 to 255 characters without white space. */
export const UploadTargetKey = IdempotencyKey

/** Where an upload stands (specification 2.8, 3.2). */
export const UploadSafety = Schema.Struct({
  operationId: UploadOperationId,
  targetKind: TargetKind,
  /** The Post, or the owner of the Profile. */
  targetId: UploadTargetId,
  /** Empty for og, avatar and header. */
  targetKey: Schema.String,
  /** Counts the operations of one target; the highest is current, every other obsolete. */
  generation: Schema.Int,
  currentGeneration: Schema.Int,
  /** Whether the saved Post or Profile refers to `publicUrl`. */
  associated: Schema.Boolean,
  /** False once its author has cancelled it. */
  desired: Schema.Boolean,
  /** True while an administrator holds it. */
  held: Schema.Boolean,
  /** The bytes are durable: they are never sent again. */
  received: Schema.Boolean,
  /** Received, cleared, desired, not held and of the current generation. */
  eligible: Schema.Boolean,
  state: UploadState,
  /** The screening policy that it is checked under. */
  policyVersion: Schema.String,
  lastError: Schema.NullOr(UploadReason),
  /** Explains `lastError` in a sentence, where there is more to say. */
  detail: Schema.NullOr(Schema.String),
  /** When to ask again; 0 once nothing will change by itself. */
  retryAfterSeconds: Schema.Int,
  /** Only before the bytes are durable: the same file may be sent again with the same Idempotency-Key. */
  reuploadAllowed: Schema.Boolean
}).annotate({ identifier: "UploadSafety" })
export type UploadSafety = typeof UploadSafety.Type

/** Relative URLs: GET `status`, DELETE `cancel`, POST `associate`. */
const UploadActions = Schema.Struct({
  status: Schema.String,
  cancel: Schema.String,
  associate: Schema.String
}).annotate({ identifier: "UploadActions" })

const receipt = {
  safety: UploadSafety,
  /** Null until the public copy is there, and when nobody may be shown it any more. */
  publicUrl: Schema.NullOr(Schema.String),
  /** The revision of the Post now; null for images of a Profile, which has none. */
  currentRevision: Schema.NullOr(Timestamp),
  replayed: Schema.Boolean,
  actions: UploadActions
}

/** The receipt of an upload operation (specification 2.8). */
export const UploadReceipt = Schema.Struct(receipt).annotate({ identifier: "UploadReceipt" })
export type UploadReceipt = typeof UploadReceipt.Type

/** The members of a receipt, for the problem that carries one. */
export const uploadReceiptFields = receipt

/** Own upload operations, newest first, 200 at most. */
export const UploadOperations = Schema.Struct({ operations: Schema.Array(UploadReceipt) }).annotate({
  identifier: "UploadOperations"
})
export type UploadOperations = typeof UploadOperations.Type

/** The header image is gone, or there was none (specification 4.2). */
export const HeaderRemoved = Schema.Struct({ headerImageUrl: Schema.Null }).annotate({
  identifier: "HeaderRemoved"
})
