import * as Result from "effect/Result"
import type { ImageFormat } from "../../../schemas/publishing/uploads/limits.ts"
import type { ImageContainer } from "./container.ts"
import { copyGif } from "./gif/copyGif.ts"
import { copyJpeg } from "./jpeg/copyJpeg.ts"
import { copyPng } from "./png/copyPng.ts"
import { joined } from "./shared/bytes.ts"
import type { ImageRefusal } from "./shared/refusal.ts"
import { copyWebp } from "./webp/copyWebp.ts"

const copiers: Readonly<
  Record<ImageFormat, (bytes: Uint8Array) => Result.Result<ReadonlyArray<Uint8Array>, ImageRefusal>>
> = {
  png: copyPng,
  jpeg: copyJpeg,
  webp: copyWebp,
  gif: copyGif
}

/**
 * Copies an image for the public: its coded pixels byte for byte, and what changes how they look (colour profile,
 * orientation, transparency, animation). Places, names, thumbnails, comments, and bytes that every decoder ignores are left
 * out. A copy of the copy is the same, and `readContainer` reads the same of both. Linear in the bytes. Takes the format that
 * `readContainer` read of these bytes; throws for bytes that it refuses.
 *
 * Returns parts that follow each other. Most are views of `bytes`, which must not change.
 */
export const publicPartsOf = (
  bytes: Uint8Array,
  { format }: Pick<ImageContainer, "format">
): ReadonlyArray<Uint8Array> =>
  Result.getOrThrowWith(copiers[format](bytes), (refusal) => new Error(refusal.message))

/** Copies an image as {@link publicPartsOf} does, in one piece. */
export const publicCopyOf = (bytes: Uint8Array, container: Pick<ImageContainer, "format">): Uint8Array =>
  joined(publicPartsOf(bytes, container))
