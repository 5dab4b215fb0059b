import { Result } from "effect"
import {
  DECODED_PIXELS_MAX,
  FRAME_PIXELS_MAX,
  type ImageFormat
} from "../../../schemas/publishing/uploads/limits.ts"
import { readGif } from "./gif.ts"
import { readJpeg } from "./jpeg.ts"
import { readPng } from "./png.ts"
import { malformed, type ImageFacts, type ImageRefusal } from "./refusal.ts"
import { formatOfMediaType, sniffMismatch } from "./sniff.ts"
import { readWebp } from "./webp.ts"

/** What an image's container says of it. */
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

/** Whether all of it may be decoded (specification 8). A frame counts with the whole canvas that it is drawn on. */
const isWithinBudget = ({ width, height, frames }: ImageFacts) =>
  width * height <= FRAME_PIXELS_MAX && width * height * frames <= DECODED_PIXELS_MAX

/**
 * Reads an image's container from its first byte to its last, without decoding a pixel (specification 4.4). Takes the
 * media type that it was sent with. Linear in the bytes; never throws. That the pixels are what the container says is
 * known only once they are decoded.
 */
export const readContainer = (
  bytes: Uint8Array,
  mediaType: string
): Result.Result<ImageContainer, ImageRefusal> => {
  const refusal = sniffMismatch(bytes, mediaType)
  if (refusal !== undefined) return Result.fail(refusal)
  const format = formatOfMediaType(mediaType)
  if (format === undefined || bytes.length === 0) return malformed("The image is empty.")
  return Result.flatMap(readers[format](bytes), (facts) =>
    isWithinBudget(facts)
      ? Result.succeed({ format, ...facts })
      : Result.fail({ code: "out_of_range", message: "The image has more pixels than may be decoded." })
  )
}
