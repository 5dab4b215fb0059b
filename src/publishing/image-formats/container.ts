import * as Result from "effect/Result"
import {
  DECODED_PIXELS_MAX,
  FRAME_PIXELS_MAX,
  type ImageFormat
} from "../../../schemas/publishing/uploads/limits.ts"
import { readGif } from "./gif/readGif.ts"
import { readJpeg } from "./jpeg/readJpeg.ts"
import { readPng } from "./png/readPng.ts"
import { FRAME_PIXELS_COUNTED_MIN } from "./shared/bounds.ts"
import { malformed, outOfRange, spelled, type ImageFacts, type ImageRefusal } from "./shared/refusal.ts"
import { formatOfMediaType, sniffMismatch } from "./sniff.ts"
import { readWebp } from "./webp/readWebp.ts"

/** The facts of an image that its container states. */
export interface ImageContainer extends ImageFacts {
  readonly format: ImageFormat
}

const readers: Readonly<Record<ImageFormat, (bytes: Uint8Array) => Result.Result<ImageFacts, ImageRefusal>>> =
  {
    png: readPng,
    jpeg: readJpeg,
    webp: readWebp,
    gif: readGif
  }

/** Refuses an image that may not be decoded (spec 8). A frame counts as the whole canvas that it is drawn on. */
const withinBudget = (facts: ImageFacts): Result.Result<ImageFacts, ImageRefusal> => {
  const pixels = facts.width * facts.height
  if (pixels > FRAME_PIXELS_MAX) {
    return outOfRange(
      `The image has ${spelled(pixels)} pixels; at most ${spelled(FRAME_PIXELS_MAX)} are supported. Make it smaller.`
    )
  }
  const most = Math.floor(DECODED_PIXELS_MAX / Math.max(pixels, FRAME_PIXELS_COUNTED_MIN))
  if (facts.frames > most) {
    return outOfRange(
      `The image has ${spelled(facts.frames)} frames; at most ${spelled(most)} of its size are supported. Shorten it.`
    )
  }
  return Result.succeed(facts)
}

/**
 * Reads an image's container from its first byte to its end, without decoding a pixel (spec 4.4). Ignores what every decoder
 * ignores, which the public copy does not have. Takes the media type that the image was sent with. Linear in the bytes; never
 * throws. Decoding alone tells whether the pixels are what the container says.
 */
export const readContainer = (
  bytes: Uint8Array,
  mediaType: string
): Result.Result<ImageContainer, ImageRefusal> => {
  const refusal = sniffMismatch(bytes, mediaType)
  if (refusal !== undefined) return Result.fail(refusal)
  const format = formatOfMediaType(mediaType)
  if (format === undefined || bytes.length === 0)
    return malformed("The image is empty.", "Send the whole file.")
  return Result.map(Result.flatMap(readers[format](bytes), withinBudget), (facts) => ({ format, ...facts }))
}
