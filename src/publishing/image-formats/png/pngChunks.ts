import * as Result from "effect/Result"
import { PARTS_MAX } from "../shared/bounds.ts"
import { fourLetters, isTextAt, u32be, u8 } from "../shared/bytes.ts"
import { crc32 } from "../shared/crc32.ts"
import { malformed, tooMany, truncated, type ImageRefusal } from "../shared/refusal.ts"

/** The first bytes of every PNG. */
export const PNG_SIGNATURE = "\u0089PNG\r\n\u001a\n"

/** The chunks that every PNG needs, and those of an animation. */
export const pngTypes = {
  header: fourLetters("IHDR"),
  palette: fourLetters("PLTE"),
  data: fourLetters("IDAT"),
  end: fourLetters("IEND"),
  animation: fourLetters("acTL"),
  frame: fourLetters("fcTL"),
  frameData: fourLetters("fdAT")
} as const

/** A chunk, from its length through its checksum. Its data begins 8 bytes after `start`. */
export interface PngChunk {
  readonly type: number
  readonly start: number
  /** Bytes of its data. */
  readonly length: number
}

/** Bytes of a chunk in addition to its data: length, type and checksum. */
const FRAMING = 12

/** Returns where a chunk ends. */
export const endOf = (chunk: PngChunk): number => chunk.start + FRAMING + chunk.length

/** The members of IHDR that are used here. */
export interface PngHeader {
  readonly width: number
  readonly height: number
  readonly colourType: number
}

const DIMENSION_MAX = 0x7fff_ffff
/** The bit depths of each colour type. */
const depthsOf: Readonly<Record<number, ReadonlyArray<number>>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16]
}

const isLetter = (byte: number) => (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122)
const isNamed = (bytes: Uint8Array, at: number) =>
  isLetter(u8(bytes, at)) &&
  isLetter(u8(bytes, at + 1)) &&
  isLetter(u8(bytes, at + 2)) &&
  isLetter(u8(bytes, at + 3))

const pictured: ReadonlySet<number> = new Set(Object.values(pngTypes))

/** True for a chunk that a decoder must know to show the image: its name begins with a capital. */
export const isCritical = (type: number): boolean => (type & 0x2000_0000) === 0

/** True for a chunk without which the image is another one. Those of an animation are, although their names do not say so. */
export const isPicture = ({ type }: PngChunk): boolean => isCritical(type) || pictured.has(type)

/** True for a chunk with a right checksum. */
export const isIntact = (bytes: Uint8Array, chunk: PngChunk): boolean => {
  const end = endOf(chunk) - 4
  return crc32(bytes, chunk.start + 4, end) === u32be(bytes, end)
}

/**
 * Reads the chunks of a PNG up to IEND. Ignores what decoders ignore: data after it, as in cropped screenshots, and chunks beside
 * the picture with a wrong checksum. Leaves the checksums of the picture to `readPng`. Fails with
 * `malformed`, or `out_of_range` for too many.
 */
export const pngChunks = (bytes: Uint8Array): Result.Result<ReadonlyArray<PngChunk>, ImageRefusal> => {
  const chunks: Array<PngChunk> = []
  if (!isTextAt(bytes, 0, PNG_SIGNATURE)) return malformed("The image does not start like a PNG.")
  let count = 0
  for (let start = PNG_SIGNATURE.length; start + FRAMING <= bytes.length;) {
    const chunk = { type: u32be(bytes, start + 4), start, length: u32be(bytes, start) }
    if (!isNamed(bytes, start + 4)) return malformed("The PNG has a chunk without a proper name.")
    if (endOf(chunk) > bytes.length) return truncated
    if (++count > PARTS_MAX) return tooMany("PNG", "chunks", PARTS_MAX)
    if (isPicture(chunk) || isIntact(bytes, chunk)) chunks.push(chunk)
    start = endOf(chunk)
    if (chunk.type === pngTypes.end) return Result.succeed(chunks)
  }
  return truncated
}

/** Reads the first chunk; undefined unless it is a valid IHDR. */
export const pngHeader = (bytes: Uint8Array, chunk: PngChunk | undefined): PngHeader | undefined => {
  if (chunk?.type !== pngTypes.header || chunk.length !== 13) return undefined
  const at = chunk.start + 8
  const [width, height, colourType] = [u32be(bytes, at), u32be(bytes, at + 4), u8(bytes, at + 9)]
  const isSensible =
    width >= 1 &&
    width <= DIMENSION_MAX &&
    height >= 1 &&
    height <= DIMENSION_MAX &&
    depthsOf[colourType]?.includes(u8(bytes, at + 8)) === true &&
    u8(bytes, at + 10) === 0 &&
    u8(bytes, at + 11) === 0 &&
    u8(bytes, at + 12) <= 1
  return isSensible ? { width, height, colourType } : undefined
}
