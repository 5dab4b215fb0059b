import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { ActionReason, actionFields, decisionFields } from "../../accounts/administration/rpc.ts"
import { OwnerId, UploadOperationId, UploadTargetId } from "../../platform/Ids.ts"
import { Administrator } from "../../platform/security/administrator.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { TargetKind, UploadReason, UploadState } from "./Upload.ts"

/** The upload operation does not exist. */
export class UploadNotFound extends Schema.TaggedError<UploadNotFound>()("UploadNotFound", {
  operationId: UploadOperationId
}) {}

/** The operation never received its bytes, was cancelled, or lost its bytes after a rejection. */
export class UploadNotScreenable extends Schema.TaggedError<UploadNotScreenable>()("UploadNotScreenable", {
  operationId: UploadOperationId
}) {}

/**
 * The next task of an operation:
 *
 * - `receive`: a request receives the bytes. Without one, files that it left are removed.
 * - `expire`: nothing is stored; the operation ends unless the bytes are sent again.
 * - `publish`: the public copy is still to be made.
 * - `screen`: the image is still to be screened.
 * - `clean_up`: files that have served their purpose are still to be removed.
 * - `scale`: the smaller copies of a cleared image are still to be made.
 */
export const UploadTask = Schema.Literals(["receive", "expire", "publish", "screen", "clean_up", "scale"])
export type UploadTask = typeof UploadTask.Type

/** An unfinished, held or refused operation, as operators and moderators see it. */
export const StuckUpload = Schema.Struct({
  operationId: UploadOperationId,
  ownerId: OwnerId,
  ownerHandle: Schema.String,
  targetKind: TargetKind,
  targetId: UploadTargetId,
  state: UploadState,
  held: Schema.Boolean,
  /** Null when nothing is left to do. */
  nextTask: Schema.NullOr(UploadTask),
  createdAt: Timestamp,
  /** The time of the next attempt. */
  dueAt: Timestamp,
  /** Consecutive attempts that ended because a dependency was unavailable. */
  retries: Schema.Int,
  /** Attempts that the image itself may have made fail. */
  failures: Schema.Int,
  lastError: Schema.NullOr(UploadReason),
  /** The finding of the screening, in the words of its engine. */
  finding: Schema.NullOr(Schema.String),
  /** Null unless readers see the image. */
  publicUrl: Schema.NullOr(Schema.String),
  /** The time of the verdict of its screening. */
  decidedAt: Schema.NullOr(Timestamp)
})
export type StuckUpload = typeof StuckUpload.Type

/** The age of an unfinished operation, in seconds. */
export const StuckSeconds = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 31_536_000 }))

/** The number of operations in a list. */
export const StuckLimit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))

const payload = {
  operationId: UploadOperationId,
  actor: actionFields.actor,
  /** For the audit log. In an incident, an administrator may leave it out. */
  reason: Schema.optionalKey(ActionReason)
}

const decision = {
  payload: { ...payload, reasonForAuthor: decisionFields.reasonForAuthor },
  error: UploadNotFound
}

/** Upload procedures for administrators only (spec 3.2). Each is safe to repeat. */
export class UploadsRpcs extends RpcGroup.make(
  /** Hides the image until its release, and tells its owner. The service keeps its files, even after a rejection. */
  Rpc.make("uploads.hold", decision),
  /** Ends a hold, and tells the owner. */
  Rpc.make("uploads.release", decision),
  /** Screens an image again, for example after an incident or with newer definitions. */
  Rpc.make("uploads.rescreen", { payload, error: Schema.Union([UploadNotFound, UploadNotScreenable]) }),
  /** Lists unfinished operations older than `olderThanSeconds`, and held ones, oldest first. */
  Rpc.make("uploads.stuck", {
    payload: {
      olderThanSeconds: StuckSeconds,
      limit: StuckLimit
    },
    success: Schema.Array(StuckUpload)
  })
).middleware(Administrator) {}
