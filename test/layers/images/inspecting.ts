import { Effect } from "effect"
import type { ImageFormat } from "../../../schemas/publishing/uploads/limits.ts"
import { ImageDecoder } from "../../../src/platform/ports/ImageDecoder.ts"

/** Waits for the bytes of an image that is being made. */
export const made = (bytes: Promise<Buffer>) => Effect.promise(() => bytes)

/** Inspects an image with the decoder of the test. */
export const inspect = Effect.fnUntraced(function* (bytes: Uint8Array, format: ImageFormat) {
  return yield* (yield* ImageDecoder).inspect(bytes, format)
})

/** Returns the reason for which an image is not decoded. */
export const reasonOf = Effect.fnUntraced(function* (bytes: Uint8Array, format: ImageFormat) {
  const error = yield* Effect.flip(inspect(bytes, format))
  return error._tag === "ImageDecoderUnavailable" ? error._tag : error.reason
})
