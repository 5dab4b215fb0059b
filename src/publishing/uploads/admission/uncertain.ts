import { Effect, Schema } from "effect"
import { UploadOperationId } from "../../../../schemas/platform/Ids.ts"
import {
  MalformedMultipart,
  UploadFailed,
  UploadUnavailable
} from "../../../../schemas/publishing/uploads/errors.ts"
import { StorageUnavailable } from "../../../platform/ports/ObjectStorage.ts"
import { unavailableDependency } from "../../../platform/sql/unavailable.ts"
import type { UploadTarget } from "../operation/target.ts"
import { BodyBrokenOff } from "./uploadForm.ts"

/** A request to upload one file. */
export interface UploadRequest {
  readonly target: UploadTarget
  /** Its Idempotency-Key. */
  readonly requestKey: string
  /** Name of an attachment, once its form is open; undefined for images. */
  readonly fileName?: string | undefined
  /** Revision that the Post must have; undefined for a Profile, and for a file that the Post may get at any revision. */
  readonly revision: string | undefined
  /** Bytes of the request, its form included. */
  readonly requestBytes: number
  /**
   * The id of an operation that an import makes, which names the image in its draft already. Such a request is no transfer,
   * and has limits of its own.
   */
  readonly importedAs?: UploadOperationId
  /** Stored URL that an import gave the place of its image. Without it, the image replaces what is there now. */
  readonly placeUrl?: string | null
}

/** The bytes may be durable or not. `operationId` is there once a reservation was made. */
export class UploadUncertain extends Schema.TaggedError<UploadUncertain>()("UploadUncertain", {
  operationId: Schema.optionalKey(UploadOperationId),
  cause: Schema.Defect()
}) {}

/** Returns the way to recover an upload, by what its sender saved before the first byte (spec 4.4.1). */
const recoveryOf = ({ requestKey, target }: UploadRequest) => {
  const query = new URLSearchParams({
    requestKey,
    targetKind: target.kind,
    targetId: target.id,
    targetKey: target.key
  })
  return { requestKey, statusUrl: `/api/v1/upload-operations?${query}` }
}

/** Fails with the way to learn the outcome of an upload that is uncertain, or to send its file again (spec 4.4.7). */
export const failWithRecovery = (request: UploadRequest) =>
  Effect.fnUntraced(function* (error: UploadUncertain | BodyBrokenOff) {
    const recovery = recoveryOf(request)
    if (error instanceof BodyBrokenOff) return yield* new MalformedMultipart({ recovery })
    const { cause, operationId } = error
    const known = { recovery, ...(operationId === undefined ? {} : { operationId }) }
    if (cause instanceof StorageUnavailable || unavailableDependency(cause) !== undefined) {
      yield* Effect.logWarning("The outcome of an upload is unknown: a dependency is unavailable", cause)
      return yield* new UploadUnavailable(known)
    }
    yield* Effect.logError("An upload crashed", cause)
    return yield* new UploadFailed(known)
  })
