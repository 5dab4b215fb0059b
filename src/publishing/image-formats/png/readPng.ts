import * as Result from "effect/Result"
import { asTurned } from "../shared/exif.ts"
import { malformed, type ImageFacts, type ImageRefusal } from "../shared/refusal.ts"
import {
  isCritical,
  isIntact,
  isPicture,
  pngChunks,
  pngHeader,
  pngTypes,
  type PngChunk,
  type PngHeader
} from "./pngChunks.ts"
import { EXIF, orientationIn } from "./pngExif.ts"
import { readPngFrames } from "./pngFrames.ts"

const isPaletteSensible = (chunk: PngChunk, colourType: number) =>
  chunk.length > 0 && chunk.length <= 768 && chunk.length % 3 === 0 && colourType !== 0 && colourType !== 4

/** Explains a wrong order of the critical chunks; undefined when it is right. */
const disorderOf = (chunks: ReadonlyArray<PngChunk>, header: PngHeader): string | undefined => {
  let hasPalette = false
  let data: "none" | "open" | "closed" = "none"
  for (const chunk of chunks.slice(1)) {
    if (chunk.type === pngTypes.data) {
      if (data === "closed") return "The PNG has other chunks between the pieces of its picture."
      if (header.colourType === 3 && !hasPalette) return "The PNG has no palette."
      data = "open"
      continue
    }
    if (data === "open") data = "closed"
    if (chunk.type === pngTypes.palette) {
      if (hasPalette || data !== "none" || !isPaletteSensible(chunk, header.colourType)) {
        return "The PNG has a palette that is wrong or out of place."
      }
      hasPalette = true
    } else if (chunk.type === pngTypes.end) {
      if (chunk.length > 0) return "The PNG has data in its end."
    } else if (isCritical(chunk.type)) return "The PNG needs a chunk that is not supported."
  }
  return data === "none" ? "The PNG has no picture." : undefined
}

/**
 * Reads the container of a PNG or APNG from its first byte to IEND, with the checksums of its picture. Fails with `malformed` or
 * `out_of_range`. Linear in the bytes.
 */
export const readPng = (bytes: Uint8Array): Result.Result<ImageFacts, ImageRefusal> => {
  const chunks = pngChunks(bytes)
  if (Result.isFailure(chunks)) return Result.fail(chunks.failure)
  const header = pngHeader(bytes, chunks.success[0])
  if (header === undefined) return malformed("The PNG has no valid header.")
  const disorder = disorderOf(chunks.success, header)
  if (disorder !== undefined) return malformed(disorder)
  if (!chunks.success.every((chunk) => !isPicture(chunk) || isIntact(bytes, chunk)))
    return malformed("The PNG is damaged: its picture has a wrong checksum.")
  const { height, width } = header
  const exif = chunks.success.find(({ type }) => type === EXIF)
  const orientation = exif === undefined ? undefined : orientationIn(bytes, exif)
  return Result.map(readPngFrames(bytes, chunks.success, header), ({ pictures }) =>
    asTurned({ width, height, frames: pictures }, orientation)
  )
}
