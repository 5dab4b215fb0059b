import * as Result from "effect/Result"
import { u16le } from "../shared/bytes.ts"
import { malformed, type ImageFacts, type ImageRefusal } from "../shared/refusal.ts"
import { gifBlocks } from "./gifBlocks.ts"

/**
 * Reads the container of a GIF from its first byte to its trailer. The canvas holds the screen and every frame, because some
 * decoders widen it. Fails with `malformed` or `out_of_range`.
 */
export const readGif = (bytes: Uint8Array): Result.Result<ImageFacts, ImageRefusal> => {
  const walked = gifBlocks(bytes)
  if (Result.isFailure(walked)) return Result.fail(walked.failure)
  let width = u16le(bytes, 6)
  let height = u16le(bytes, 8)
  let frames = 0
  for (const { kind, start } of walked.success.blocks) {
    if (kind !== "frame") continue
    const [frameWidth, frameHeight] = [u16le(bytes, start + 5), u16le(bytes, start + 7)]
    if (frameWidth === 0 || frameHeight === 0) return malformed("The GIF has a frame without pixels.")
    width = Math.max(width, u16le(bytes, start + 1) + frameWidth)
    height = Math.max(height, u16le(bytes, start + 3) + frameHeight)
    frames++
  }
  return frames === 0 ? malformed("The GIF has no picture.") : Result.succeed({ width, height, frames })
}
