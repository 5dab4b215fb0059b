import { Result } from "effect"
import type { ImageFormat } from "../../../schemas/publishing/uploads/limits.ts"
import { joined } from "./bytes.ts"
import type { ImageContainer } from "./container.ts"
import { copyGif } from "./gifCopy.ts"
import { copyJpeg } from "./jpegCopy.ts"
import { copyPng } from "./pngCopy.ts"
import type { ImageRefusal } from "./refusal.ts"
import { copyWebp } from "./webpCopy.ts"

const copiers: Readonly<
  Record<ImageFormat, (bytes: Uint8Array) => Result.Result<ReadonlyArray<Uint8Array>, ImageRefusal>>
> = {
  png: copyPng,
  jpeg: copyJpeg,
  webp: copyWebp,
  gif: copyGif
}

/**
 * The same image for everybody: its coded pixels byte for byte, what changes how they look (colour profile, orientation,
 * transparency, animation), and nothing else. Places, names, thumbnails, comments and what follows its end are gone.
 * Its own copy is the same again, and `readContainer` says the same of it. Linear in the bytes. Takes the container that
 * `readContainer` read of these bytes; throws for bytes that it refused.
 *
 * In parts that follow each other. Most of them are where they were in `bytes`, which has to stay as it is.
 */
export const publicPartsOf = (bytes: Uint8Array, container: ImageContainer): ReadonlyArray<Uint8Array> =>
  Result.getOrThrowWith(copiers[container.format](bytes), (refusal) => new Error(refusal.message))

/** As {@link publicPartsOf}, in one piece. */
export const publicCopyOf = (bytes: Uint8Array, container: ImageContainer): Uint8Array =>
  joined(publicPartsOf(bytes, container))
