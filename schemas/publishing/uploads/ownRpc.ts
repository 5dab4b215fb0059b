import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { NotFound, PayloadTooLarge, RevisionConflict, Validation } from "../../platform/errors/common.ts"
import { ProcedureFailures } from "../../platform/errors/procedures.ts"
import { IdempotencyKey } from "../../platform/IdempotencyKey.ts"
import { PostId, UploadOperationId } from "../../platform/Ids.ts"
import { RateLimit } from "../../platform/rate-limits/limits.ts"
import { ProcedureRateLimits } from "../../platform/rate-limits/procedures.ts"
import { Operator } from "../../platform/security/administrator.ts"
import { Publisher } from "../../platform/security/publisher.ts"
import { AllowedWhileRestricted } from "../../platform/security/restriction.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { StorageQuotaReached } from "../storage/errors.ts"
import { UploadConflict, UploadFailed, UploadLimitReached, UploadUnavailable } from "./errors.ts"
import { OperationsQuery } from "./OperationsQuery.ts"
import { UploadReceipt, UploadTargetKey } from "./Upload.ts"

/** The place of an image in a Post: a node of its text, by the stable key of that node, or its OG image. */
export const PostImageTarget = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("inline"), key: UploadTargetKey }),
  Schema.Struct({ kind: Schema.Literal("og") })
])

const image = {
  /** The Idempotency-Key of the upload. A repeat with the same key and bytes gets the same operation. */
  requestKey: IdempotencyKey,
  /** A PNG, JPEG, WebP or GIF, which its bytes tell. */
  bytes: Schema.Uint8Array
}

const refusals = [
  Validation,
  PayloadTooLarge,
  UploadConflict,
  UploadLimitReached,
  StorageQuotaReached,
  UploadUnavailable,
  UploadFailed
] as const

const profileImage = { payload: image, success: UploadReceipt, error: Schema.Union(refusals) }

const operation = {
  payload: { operationId: UploadOperationId },
  success: UploadReceipt,
  error: NotFound
}

/**
 * Uploads of the owner of a Publishing key, for another service of the operator. The same as the HTTP operations, with one
 * difference: a held operation is answered with its receipt, where `held` is true.
 */
export class OwnUploadsRpcs extends RpcGroup.make(
  Rpc.make("uploads.header", profileImage),
  Rpc.make("uploads.image", {
    payload: { ...image, postId: PostId, target: PostImageTarget, revision: Timestamp },
    success: UploadReceipt,
    error: Schema.Union([...refusals, NotFound, RevisionConflict])
  }),
  Rpc.make("uploads.list", {
    payload: OperationsQuery,
    success: Schema.Array(UploadReceipt),
    error: Schema.Union([NotFound, Validation])
  }).annotate(AllowedWhileRestricted, true),
  Rpc.make("uploads.status", operation).annotate(AllowedWhileRestricted, true),
  Rpc.make("uploads.cancel", operation),
  Rpc.make("uploads.associate", operation),
  Rpc.make("uploads.removeHeader")
)
  .annotateRpcs(RateLimit, "key")
  .add(Rpc.make("uploads.avatar", profileImage).annotate(RateLimit, "avatar-upload"))
  .middleware(ProcedureRateLimits)
  .middleware(Publisher)
  .middleware(Operator)
  .middleware(ProcedureFailures) {}
