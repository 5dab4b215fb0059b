import { fourLetters } from "../shared/bytes.ts"
import { orientationOf } from "../shared/exif.ts"
import type { PngChunk } from "./pngChunks.ts"

/** The type of the chunk with an EXIF. Programs read only the first one. */
export const EXIF = fourLetters("eXIf")

/** Returns the orientation in the EXIF of a chunk, as {@link orientationOf} does. */
export const orientationIn = (bytes: Uint8Array, { length, start }: PngChunk): number | undefined =>
  orientationOf(bytes, start + 8, start + 8 + length)
