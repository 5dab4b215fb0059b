import sharp, { type Sharp } from "sharp"
import { type ImageFormat, VARIANT_BYTES_MAX } from "../../schemas/publishing/uploads/limits.ts"
import { decoding, strict } from "./strictSharp.ts"

/** The longest side of a WebP. */
const SIDE_MAX = 16_383

/** Each effort beyond 1 takes half as long again, and saves at most an eighth of the bytes. */
const WEBP = { quality: 80, effort: 1 }

/** A smaller copy, in base64. */
interface ScaledCopy {
  readonly width: number
  readonly webp: string
}

interface Size {
  readonly width: number
  readonly height: number
}

/** The colours of a picture, and its opacity if it has any, in sRGB. */
const pixelsOf = async (image: Sharp, { height, width }: Size) => {
  const { data, info } = await image
    .resize({ width, height, fit: "fill" })
    .toColourspace("srgb")
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true })
  return () => sharp(data, { raw: { width, height, channels: info.channels } })
}

/**
 * Makes smaller copies of a still image. The image is decoded once, to the largest of them, and each copy is made from the
 * next larger one. sharp applies the colour profile, and writes none.
 */
export const scaledCopies = async (
  bytes: Uint8Array,
  format: ImageFormat,
  widths: ReadonlyArray<number>
): Promise<ReadonlyArray<ScaledCopy>> => {
  // Browsers show a WebP as it lies, with any EXIF, and `readContainer` reads its sides so.
  const isTurned = format !== "webp"
  const read = await decoding(() => sharp(bytes, strict).metadata())
  const shown: Size = isTurned ? read.autoOrient : read
  const sizes = widths
    .map((width): Size => ({
      width,
      height: Math.max(1, Math.round((width * shown.height) / shown.width))
    }))
    .filter(({ height, width }) => width <= shown.width && height <= SIDE_MAX)
  const copies: Array<ScaledCopy> = []
  let larger = () => (isTurned ? sharp(bytes, strict).autoOrient() : sharp(bytes, strict))
  for (const size of sizes.toReversed()) {
    const pixels = await decoding(() => pixelsOf(larger(), size))
    const webp = await pixels().webp(WEBP).toBuffer()
    if (webp.length < bytes.length && webp.length <= VARIANT_BYTES_MAX)
      copies.unshift({ width: size.width, webp: webp.toString("base64") })
    larger = pixels
  }
  return copies
}
