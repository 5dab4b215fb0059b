import { Schema } from "effect"
import { OwnerId, UploadOperationId, UploadTargetId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { imageFormats } from "../../../schemas/publishing/uploads/limits.ts"
import { TargetKind, UploadReason, UploadState } from "../../../schemas/publishing/uploads/Upload.ts"

/**
 * What is still to be done for an operation: wait for its bytes, forget a reservation whose bytes never came, make the
 * public copy, screen it, remove files that nobody needs.
 */
export const Owed = Schema.Literals(["receipt", "expiry", "promotion", "screening", "cleanup"])
export type Owed = typeof Owed.Type

/** What an image is for. The key is that of the editor's node, and empty for all but inline images. */
export interface UploadTarget {
  readonly kind: TargetKind
  readonly id: UploadTargetId
  readonly key: string
}

/** An upload operation with what its receipt needs of its target. */
export const UploadRow = Schema.Struct({
  id: UploadOperationId,
  owner_id: OwnerId,
  target_kind: TargetKind,
  target_id: UploadTargetId,
  target_key: Schema.String,
  generation: Schema.Int,
  current_generation: Schema.Int,
  associated: Schema.Boolean,
  state: UploadState,
  owed: Schema.NullOr(Owed),
  due_at: Schema.Date,
  last_error: Schema.NullOr(UploadReason),
  desired: Schema.Boolean,
  held: Schema.Boolean,
  policy_version: Schema.String,
  received: Schema.Boolean,
  public_url: Schema.NullOr(Schema.String),
  /** Of the Post; null for a Profile. */
  revision: Schema.NullOr(Timestamp)
})
export type UploadRow = typeof UploadRow.Type

/** An operation that this process has the lease of: `attempts` names the lease. */
export const LeasedUpload = Schema.Struct({
  id: UploadOperationId,
  owner_id: OwnerId,
  target_kind: TargetKind,
  target_id: UploadTargetId,
  state: UploadState,
  owed: Owed,
  created_at: Schema.Date,
  attempts: Schema.Int,
  receipts: Schema.Int,
  retries: Schema.Int,
  failures: Schema.Int,
  staged_bytes: Schema.Int,
  format: Schema.NullOr(Schema.Literals(imageFormats)),
  sha256: Schema.NullOr(Schema.String),
  width: Schema.NullOr(Schema.Int),
  height: Schema.NullOr(Schema.Int),
  frames: Schema.NullOr(Schema.Int),
  desired: Schema.Boolean,
  public_url: Schema.NullOr(Schema.String)
})
export type LeasedUpload = typeof LeasedUpload.Type

/** Which lease of which operation. */
export type UploadLease = Pick<LeasedUpload, "id" | "attempts">
