import * as Result from "effect/Result"
import { tasksOf } from "../../platform/ports/tasks.ts"
import { type ImageContainer, readContainer } from "./container.ts"
import { publicCopyOf } from "./publicCopy.ts"
import { isSame } from "./shared/bytes.ts"
import type { ImageRefusal } from "./shared/refusal.ts"

/** An image with the media type that it was sent with. */
export interface SentImage {
  readonly bytes: Uint8Array
  readonly mediaType: string
}

/** A container with the public copy of its image. */
export interface ReadImage {
  readonly container: ImageContainer
  /** Undefined when the image is its own public copy, byte for byte. */
  readonly copy: Uint8Array | undefined
  /** The image itself, whose reader took its bytes over. */
  readonly bytes: Uint8Array
}

/** Reads the container of an image and makes its public copy. The result crosses threads, so it is plain data. */
export const readImage = ({
  bytes,
  mediaType
}: SentImage): ReadImage | { readonly refusal: ImageRefusal } => {
  const container = readContainer(bytes, mediaType)
  if (Result.isFailure(container)) return { refusal: container.failure }
  const copy = publicCopyOf(bytes, container.success)
  return { container: container.success, copy: isSame(copy, bytes) ? undefined : copy, bytes }
}

/** Work on images that takes up to a tenth of a second for the largest ones. */
export const imageTasks = {
  read: {
    ...tasksOf("images", { read: readImage }).read,
    takesOver: ({ bytes: { buffer } }: SentImage) => (buffer instanceof ArrayBuffer ? [buffer] : [])
  }
}
