import { Schema } from "effect"
import { IdempotencyKey } from "../../platform/IdempotencyKey.ts"
import { PostId, UploadTargetId } from "../../platform/Ids.ts"
import { TargetKind, UploadTargetKey } from "./Upload.ts"

/** A query for operations: those of a Post, those of the Profile, or the one of a saved request. */
export const OperationsQuery = Schema.Struct({
  postId: Schema.optionalKey(PostId),
  requestKey: Schema.optionalKey(IdempotencyKey),
  targetKind: Schema.optionalKey(TargetKind),
  targetId: Schema.optionalKey(UploadTargetId),
  targetKey: Schema.optionalKey(Schema.Union([Schema.Literal(""), UploadTargetKey]))
})
export type OperationsQuery = typeof OperationsQuery.Type
