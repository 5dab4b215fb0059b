import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { OwnerId, UploadOperationId, UploadTargetId } from "../../platform/Ids.ts"
import { Administrator } from "../../platform/security/administrator.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { TargetKind, UploadReason, UploadState } from "./Upload.ts"

/** There is no such upload operation. */
export class UploadNotFound extends Schema.TaggedError<UploadNotFound>()("UploadNotFound", {
  operationId: UploadOperationId
}) {}

/** The operation never received its bytes, was cancelled, or its bytes are gone after a verdict against it. */
export class UploadNotScreenable extends Schema.TaggedError<UploadNotScreenable>()("UploadNotScreenable", {
  operationId: UploadOperationId
}) {}

/** An operation that is not finished or is held, as operators see it. */
export const StuckUpload = Schema.Struct({
  operationId: UploadOperationId,
  ownerId: OwnerId,
  targetKind: TargetKind,
  targetId: UploadTargetId,
  state: UploadState,
  held: Schema.Boolean,
  /** What is to be done next: `receipt`, `expiry`, `promotion`, `screening` or `cleanup`. */
  owed: Schema.NullOr(Schema.String),
  createdAt: Timestamp,
  /** When it is tried again. */
  dueAt: Timestamp,
  /** Attempts in a row that something which is away ended. */
  retries: Schema.Int,
  /** Attempts that the image itself may have ended. */
  failures: Schema.Int,
  lastError: Schema.NullOr(UploadReason),
  /** What screening found, in the words of the engine that found it. */
  finding: Schema.NullOr(Schema.String)
})
export type StuckUpload = typeof StuckUpload.Type

const payload = { operationId: UploadOperationId }

/** What only an administrator does with uploads (specification 3.2). Safe to repeat. */
export class UploadsRpcs extends RpcGroup.make(
  /** Nobody is shown the image until it is released; its files are kept whatever screening says. */
  Rpc.make("uploads.hold", { payload, error: UploadNotFound }),
  Rpc.make("uploads.release", { payload, error: UploadNotFound }),
  /** Screens an image once more, as after an incident or with newer definitions. */
  Rpc.make("uploads.rescreen", { payload, error: Schema.Union([UploadNotFound, UploadNotScreenable]) }),
  /** Operations that are older than that and not finished, or held; oldest first. */
  Rpc.make("uploads.stuck", {
    payload: {
      olderThanSeconds: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 31_536_000 })),
      limit: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))
    },
    success: Schema.Array(StuckUpload)
  })
).middleware(Administrator) {}
