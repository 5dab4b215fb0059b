import { Schema } from "effect"
import { UploadOperationId } from "../../../schemas/platform/Ids.ts"
import type { UploadTarget } from "./operation.ts"

/** One upload as it is asked for. */
export interface UploadRequest {
  readonly target: UploadTarget
  /** The Idempotency-Key. */
  readonly requestKey: string
  /** The revision that the Post has to have; undefined for a Profile. */
  readonly revision: string | undefined
  /** Bytes of the request, its multipart included. */
  readonly requestBytes: number
}

/** The bytes may be durable or not; `operationId` once a reservation was made. */
export class UploadUncertain extends Schema.TaggedError<UploadUncertain>()("UploadUncertain", {
  operationId: Schema.optionalKey(UploadOperationId),
  cause: Schema.Defect()
}) {}
