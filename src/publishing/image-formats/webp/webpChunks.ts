import * as Result from "effect/Result"
import { PARTS_MAX } from "../shared/bounds.ts"
import { fourLetters, isTextAt, u16le, u24le, u32be, u32le, u8 } from "../shared/bytes.ts"
import { malformed, tooMany, truncated, type ImageRefusal } from "../shared/refusal.ts"

/** The names of the chunks that WebP defines. */
export const webpTypes = {
  lossy: fourLetters("VP8 "),
  lossless: fourLetters("VP8L"),
  extended: fourLetters("VP8X"),
  alpha: fourLetters("ALPH"),
  animation: fourLetters("ANIM"),
  frame: fourLetters("ANMF"),
  profile: fourLetters("ICCP"),
  exif: fourLetters("EXIF")
} as const

/** The bits of the first byte of VP8X. */
export const webpFlags = { animation: 0x02, xmp: 0x04, exif: 0x08, alpha: 0x10, profile: 0x20 } as const

/** A chunk of a RIFF container. */
export interface WebpChunk {
  readonly type: number
  /** The first byte of its data, 8 bytes after its name. */
  readonly at: number
  /** Bytes of its data. */
  readonly length: number
  /** The place after its data and the byte that makes it even. The last chunk may lack that byte. */
  readonly end: number
}

/** Reads the chunks between `from` and `to`: `most` of them at most. Fewer bytes than a chunk has may follow them. */
export const riffChunks = (
  bytes: Uint8Array,
  from: number,
  to: number,
  most: number
): Result.Result<ReadonlyArray<WebpChunk>, ImageRefusal> => {
  const chunks: Array<WebpChunk> = []
  let start = from
  while (start + 8 <= to) {
    if (chunks.length === most) return tooMany("WebP", "chunks", most)
    const length = u32le(bytes, start + 4)
    const dataEnd = start + 8 + length
    const end = dataEnd === to ? to : dataEnd + (length % 2)
    chunks.push({ type: u32be(bytes, start), at: start + 8, length, end })
    start = end
  }
  return start <= to ? Result.succeed(chunks) : malformed("The WebP has a chunk with a wrong length.")
}

/** Bytes of an ANMF chunk before its own chunks. */
export const FRAME_HEAD = 16

/**
 * Reads the chunks of a WebP, and ignores what decoders ignore: data after the end that RIFF states, and padding before it.
 * Fails with `malformed`, or `out_of_range` for too many.
 */
export const webpChunks = (bytes: Uint8Array): Result.Result<ReadonlyArray<WebpChunk>, ImageRefusal> => {
  if (!isTextAt(bytes, 0, "RIFF") || !isTextAt(bytes, 8, "WEBP")) {
    return malformed("The image does not start like a WebP.")
  }
  const end = 8 + u32le(bytes, 4)
  if (end > bytes.length) return truncated
  return riffChunks(bytes, 12, end, PARTS_MAX)
}

/** Width and height in pixels. */
export interface Dimensions {
  readonly width: number
  readonly height: number
}

export const isBitstream = (chunk: WebpChunk): boolean =>
  chunk.type === webpTypes.lossy || chunk.type === webpTypes.lossless

/** Reads the dimensions of coded pixels (`VP8 `, `VP8L`); undefined when the bytes are none. */
export const bitstreamDimensions = (bytes: Uint8Array, chunk: WebpChunk): Dimensions | undefined => {
  const { at, length, type } = chunk
  if (type === webpTypes.lossless) {
    if (length < 5 || bytes[at] !== 0x2f || u8(bytes, at + 4) >>> 5 !== 0) return undefined
    const bits = u32le(bytes, at + 1)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  // A key frame, its start code, and 14 bits for each side. The two bits above do not change what is decoded.
  if (length < 10 || (u8(bytes, at) & 1) !== 0 || u24le(bytes, at + 3) !== 0x2a_019d) return undefined
  const [width, height] = [u16le(bytes, at + 6) & 0x3fff, u16le(bytes, at + 8) & 0x3fff]
  return width > 0 && height > 0 ? { width, height } : undefined
}
