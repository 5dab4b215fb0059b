import { Result } from "effect"
import { fourLetters, isTextAt, isZeroFrom, u16le, u24le, u32be, u32le, u8 } from "./bytes.ts"
import { malformed, trailing, truncated, type ImageRefusal } from "./refusal.ts"

/** The chunks that WebP defines. */
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

/** The bits of VP8X's first byte. */
export const webpFlags = { animation: 0x02, xmp: 0x04, exif: 0x08, alpha: 0x10, profile: 0x20 } as const

/** A chunk of RIFF. */
export interface WebpChunk {
  readonly type: number
  /** Where its data begins, 8 bytes behind its name. */
  readonly at: number
  /** Bytes of its data. */
  readonly length: number
  /** Behind its data and the byte that makes it even. */
  readonly end: number
}

/** The chunks between `from` and `to`, which they have to fill; undefined when they do not. */
export const riffChunks = (
  bytes: Uint8Array,
  from: number,
  to: number
): ReadonlyArray<WebpChunk> | undefined => {
  const chunks: Array<WebpChunk> = []
  let start = from
  while (start + 8 <= to) {
    const length = u32le(bytes, start + 4)
    const end = start + 8 + length + (length % 2)
    chunks.push({ type: u32be(bytes, start), at: start + 8, length, end })
    start = end
  }
  return start === to ? chunks : undefined
}

/** The bytes of an ANMF chunk before the chunks that it holds. */
export const FRAME_HEAD = 16

/** The chunks of a WebP. */
export const webpChunks = (bytes: Uint8Array): Result.Result<ReadonlyArray<WebpChunk>, ImageRefusal> => {
  if (!isTextAt(bytes, 0, "RIFF") || !isTextAt(bytes, 8, "WEBP")) {
    return malformed("The image does not begin as a WebP does.")
  }
  const end = 8 + u32le(bytes, 4)
  if (end > bytes.length) return truncated
  if (!isZeroFrom(bytes, end)) return trailing
  const chunks = riffChunks(bytes, 12, end)
  return chunks === undefined ? malformed("The WebP has a part with a wrong length.") : Result.succeed(chunks)
}

/** Width and height in pixels. */
export interface Dimensions {
  readonly width: number
  readonly height: number
}

export const isBitstream = (chunk: WebpChunk): boolean =>
  chunk.type === webpTypes.lossy || chunk.type === webpTypes.lossless

/** What coded pixels (`VP8 `, `VP8L`) say of themselves; undefined when they are none. */
export const bitstreamDimensions = (bytes: Uint8Array, chunk: WebpChunk): Dimensions | undefined => {
  const { at, length, type } = chunk
  if (type === webpTypes.lossless) {
    if (length < 5 || bytes[at] !== 0x2f || u8(bytes, at + 4) >>> 5 !== 0) return undefined
    const bits = u32le(bytes, at + 1)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  // A key frame, its start code, and 14 bits for each side; the two above them scale nothing that is decoded.
  if (length < 10 || (u8(bytes, at) & 1) !== 0 || u24le(bytes, at + 3) !== 0x2a_019d) return undefined
  const [width, height] = [u16le(bytes, at + 6) & 0x3fff, u16le(bytes, at + 8) & 0x3fff]
  return width > 0 && height > 0 ? { width, height } : undefined
}
