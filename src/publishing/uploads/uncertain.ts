import { Effect } from "effect"
import {
  MalformedMultipart,
  UploadFailed,
  UploadUnavailable
} from "../../../schemas/publishing/uploads/errors.ts"
import { StorageUnavailable } from "../../platform/ports/ObjectStorage.ts"
import { unavailableDependency } from "../../platform/sql/unavailable.ts"
import { BodyBrokenOff } from "./form.ts"
import { type UploadRequest, UploadUncertain } from "./uploadRequest.ts"

/** Where a sender learns what became of an upload: by what it saved before it sent a byte (specification 4.4.1). */
const recoveryOf = ({ requestKey, target }: UploadRequest) => {
  const query = new URLSearchParams({
    requestKey,
    targetKind: target.kind,
    targetId: target.id,
    targetKey: target.key
  })
  return { requestKey, statusUrl: `/api/v1/upload-operations?${query}` }
}

/** Answers what is uncertain about an upload with the way to certainty (specification 4.4.7). */
export const asUncertain =
  (request: UploadRequest) =>
  <A, E, R>(effect: Effect.Effect<A, E | UploadUncertain | BodyBrokenOff, R>) =>
    Effect.catch(
      effect,
      Effect.fnUntraced(function* (error) {
        const recovery = recoveryOf(request)
        if (error instanceof BodyBrokenOff) return yield* new MalformedMultipart({ recovery })
        if (!(error instanceof UploadUncertain))
          return yield* Effect.fail(error as Exclude<E, UploadUncertain | BodyBrokenOff>)
        const { cause, operationId } = error
        const known = { recovery, ...(operationId === undefined ? {} : { operationId }) }
        if (cause instanceof StorageUnavailable || unavailableDependency(cause) !== undefined) {
          yield* Effect.logWarning("An upload is uncertain, as a dependency is unavailable", cause)
          return yield* new UploadUnavailable(known)
        }
        yield* Effect.logError("An upload died", cause)
        return yield* new UploadFailed(known)
      })
    )
