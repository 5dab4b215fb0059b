import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import { tasksOf } from "../../platform/ports/tasks.ts"
import { type ImageContainer, readContainer } from "./container.ts"
import { publicPartsOf } from "./publicCopy.ts"
import { isJoined, joined } from "./shared/bytes.ts"
import type { ImageRefusal } from "./shared/refusal.ts"

/** An image with the media type that it was sent with. */
export interface SentImage {
  /** Its bytes, in parts that follow each other. */
  readonly parts: ReadonlyArray<Uint8Array>
  readonly mediaType: string
}

/** A container with the public copy of its image. */
export interface ReadImage {
  readonly container: ImageContainer
  /** The image itself. */
  readonly bytes: Uint8Array
  /** SHA-256 of the bytes, in hex. */
  readonly sha256: string
  /**
   * Parts of the public copy, which follow each other. Most are views of `bytes`, which must not change. Undefined when
   * the image is its own public copy, byte for byte.
   */
  readonly copy: ReadonlyArray<Uint8Array> | undefined
}

/**
 * Reads the container of an image and makes its public copy. The result crosses threads, so it is plain data. A thread
 * that has a faster SHA-256, which answers in hex, may replace `digest`.
 */
export const readImage = (
  { mediaType, parts }: SentImage,
  digest = (bytes: Uint8Array): string => bytesToHex(sha256(bytes))
): ReadImage | { readonly refusal: ImageRefusal } => {
  const [first, ...others] = parts
  const bytes = first !== undefined && others.length === 0 ? first : joined(parts)
  const container = readContainer(bytes, mediaType)
  if (Result.isFailure(container)) return { refusal: container.failure }
  const copy = publicPartsOf(bytes, container.success)
  return {
    container: container.success,
    bytes,
    sha256: digest(bytes),
    copy: isJoined(copy, bytes) ? undefined : copy
  }
}

/** Work on images that takes up to a tenth of a second for the largest ones. */
export const imageTasks = tasksOf("files", { readImage: (image: SentImage) => readImage(image) })
