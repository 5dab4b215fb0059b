import { Result } from "effect"
import { u32be } from "./bytes.ts"
import { pngTypes, type PngChunk, type PngHeader } from "./pngChunks.ts"
import { malformed, type ImageRefusal } from "./refusal.ts"

/** Whether a frame lies on the canvas; the one that is shown first also as the plain PNG has to fill it. */
const isOnCanvas = (bytes: Uint8Array, at: number, canvas: PngHeader, isWhole: boolean) => {
  const [width, height] = [u32be(bytes, at + 4), u32be(bytes, at + 8)]
  const [x, y] = [u32be(bytes, at + 12), u32be(bytes, at + 16)]
  if (isWhole) return width === canvas.width && height === canvas.height && x === 0 && y === 0
  return width >= 1 && height >= 1 && x + width <= canvas.width && y + height <= canvas.height
}

/**
 * How many pictures a PNG holds: 1 when it is not animated. Of an animation the frames that it declares or those that it
 * has, whichever are more, and one more when its plain picture is none of them, as that is what many programs show.
 */
export const readPngFrames = (
  bytes: Uint8Array,
  chunks: ReadonlyArray<PngChunk>,
  canvas: PngHeader
): Result.Result<number, ImageRefusal> => {
  let declared = 0
  let counted = 0
  let sequence = 0
  let hasPicture = false
  let isPictureFrame = false
  for (const { type, start, length } of chunks) {
    const at = start + 8
    if (type === pngTypes.data) {
      isPictureFrame = hasPicture ? isPictureFrame : counted > 0
      hasPicture = true
    } else if (type === pngTypes.animation) {
      if (hasPicture || declared > 0 || length !== 8 || u32be(bytes, at) === 0) {
        return malformed("The animated PNG has a header that is wrong or out of place.")
      }
      declared = u32be(bytes, at)
    } else if (type === pngTypes.frame || type === pngTypes.frameData) {
      const isFrame = type === pngTypes.frame
      // A frame before the picture is the picture, so there is one at most; data of others comes after it.
      const isInPlace =
        declared > 0 &&
        (isFrame ? hasPicture || counted === 0 : hasPicture && counted > (isPictureFrame ? 1 : 0))
      if (!isInPlace || (isFrame ? length !== 26 : length < 4) || u32be(bytes, at) !== sequence) {
        return malformed("The animated PNG has a frame that is wrong or out of place.")
      }
      if (isFrame && !isOnCanvas(bytes, at, canvas, !hasPicture)) {
        return malformed("The animated PNG has a frame outside its canvas.")
      }
      sequence++
      if (isFrame) counted++
    }
  }
  if (declared === 0) return Result.succeed(1)
  return Result.succeed(Math.max(declared, counted) + (isPictureFrame ? 0 : 1))
}
