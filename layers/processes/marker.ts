import { Effect } from "effect"
import { ObjectKey, ObjectStorage } from "../../src/platform/ports/ObjectStorage.ts"
import { isOursToMend, S3Failure } from "../storage/s3/s3Failure.ts"

/** Time that the store has to answer. */
const PATIENCE = "5 seconds"

const NO_STORE = "The store of images does not answer, so whether all processes share it was not checked"

const FOLDER = "processes/"

/** Returns true for the key of a marker, which is no image and belongs into no backup. */
export const isMarker = (key: string) => key.startsWith(FOLDER)

/** Returns the key of the object that only processes with the same store can read. */
export const markerOf = (id: string) => ObjectKey.make(`${FOLDER}${id}`)

/** Puts the marker of a process into the store. Returns false, with a warning, if the store does not take it. */
export const putMarker = Effect.fnUntraced(function* (id: string) {
  const objects = yield* ObjectStorage
  return yield* objects.put(markerOf(id), new Uint8Array([1]), { contentType: "text/plain" }).pipe(
    Effect.timeout(PATIENCE),
    Effect.as(true),
    Effect.catch((error) => Effect.as(Effect.logWarning(NO_STORE, error), false))
  )
})

/**
 * Returns true if the store has the marker of another process. An unavailable store hinders no start, but one that refuses
 * the key or the bucket is another store.
 */
export const canRead = Effect.fnUntraced(function* (id: string) {
  const objects = yield* ObjectStorage
  return yield* objects.stat(markerOf(id)).pipe(
    Effect.timeout(PATIENCE),
    Effect.as(true),
    Effect.catchTags({
      ObjectNotFound: () => Effect.succeed(false),
      StorageUnavailable: ({ cause }) => Effect.succeed(!(cause instanceof S3Failure && isOursToMend(cause))),
      TimeoutError: () => Effect.succeed(true)
    })
  )
})
