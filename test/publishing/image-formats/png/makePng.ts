import { crc32, deflateSync } from "node:zlib"
import { be16, be32, bytesOf, noise } from "../shared/makeBytes.ts"
import { planted, plantedExif, plantedXmp } from "../shared/makeMetadata.ts"

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

/** A chunk with its right checksum, or another. */
export const pngChunk = (
  type: string,
  data: Uint8Array = new Uint8Array(0),
  checksum?: number
): Uint8Array => {
  const named = bytesOf(type, data)
  return bytesOf(be32(data.length), named, be32(checksum ?? crc32(named)))
}

/** A PNG of these chunks. */
export const pngOfChunks = (...chunks: ReadonlyArray<Uint8Array>): Uint8Array => bytesOf(SIGNATURE, ...chunks)

/** IHDR of RGBA with 8 bits unless told. */
export const pngHeader = (width: number, height: number, depth = 8, colourType = 6): Uint8Array =>
  pngChunk("IHDR", bytesOf(be32(width), be32(height), [depth, colourType, 0, 0, 0]))

/** Rows of RGBA noise, compressed as IDAT and fdAT hold them. */
export const pngPixels = (width: number, height: number, seed = 1): Uint8Array => {
  const rows = noise(seed, height * (1 + width * 4))
  for (let row = 0; row < height; row++) rows[row * (1 + width * 4)] = 0
  return deflateSync(rows)
}

export interface PngOptions {
  readonly width?: number
  readonly height?: number
  readonly seed?: number
  /** Whole chunks before and after the picture. */
  readonly before?: ReadonlyArray<Uint8Array>
  readonly after?: ReadonlyArray<Uint8Array>
  readonly trailer?: Uint8Array
}

/** A valid PNG of RGBA noise; 4 × 3 unless told. */
export const pngOf = (options: PngOptions = {}): Uint8Array => {
  const { width = 4, height = 3, seed = 1, before = [], after = [], trailer = new Uint8Array(0) } = options
  const picture = pngChunk("IDAT", pngPixels(width, height, seed))
  return pngOfChunks(pngHeader(width, height), ...before, picture, ...after, pngChunk("IEND"), trailer)
}

/** Only the container of a PNG: a header, and one byte for the picture. */
export const pngContainer = (width: number, height: number): Uint8Array =>
  pngOfChunks(pngHeader(width, height), pngChunk("IDAT", Uint8Array.of(0)), pngChunk("IEND"))

export interface ApngOptions {
  readonly width?: number
  readonly height?: number
  readonly frames?: number
  /** The number of frames in acTL, when it differs. */
  readonly declared?: number
  /** Keeps the plain picture out of the animation. */
  readonly isDefaultHidden?: boolean
  readonly before?: ReadonlyArray<Uint8Array>
}

/** fcTL of a whole canvas unless told. */
export const frameControl = (sequence: number, width: number, height: number, x = 0, y = 0): Uint8Array =>
  pngChunk(
    "fcTL",
    bytesOf(be32(sequence), be32(width), be32(height), be32(x), be32(y), be16(1), be16(10), [0, 0])
  )

/** A valid APNG of noise, each frame another. */
export const apngOf = (options: ApngOptions = {}): Uint8Array => {
  const {
    width = 4,
    height = 3,
    frames = 3,
    declared = frames,
    isDefaultHidden = false,
    before = []
  } = options
  const chunks: Array<Uint8Array> = [
    pngHeader(width, height),
    ...before,
    pngChunk("acTL", bytesOf(be32(declared), be32(0)))
  ]
  let sequence = 0
  if (!isDefaultHidden) chunks.push(frameControl(sequence++, width, height))
  chunks.push(pngChunk("IDAT", pngPixels(width, height, 1)))
  for (let frame = isDefaultHidden ? 0 : 1; frame < frames; frame++) {
    chunks.push(frameControl(sequence++, width, height))
    chunks.push(pngChunk("fdAT", bytesOf(be32(sequence++), pngPixels(width, height, frame + 2))))
  }
  return pngOfChunks(...chunks, pngChunk("IEND"))
}

const text = (type: string, keyword: string, value: string) => pngChunk(type, bytesOf(keyword, 0, value))

/** Chunks of metadata, with a planted text in each. */
export const pngMetadata = (orientation: number): ReadonlyArray<Uint8Array> => [
  text("tEXt", "Comment", planted.comment),
  text("iTXt", "XML:com.adobe.xmp", `\0\0\0\0${plantedXmp}`),
  text("tEXt", "Raw profile type iptc", planted.iptc),
  pngChunk("tIME", bytesOf(be16(2026), [11, 21, 5, 0, 0])),
  pngChunk("prVt", bytesOf(planted.unknown)),
  pngChunk("eXIf", plantedExif(orientation))
]

/** iCCP of an ICC profile. */
export const pngProfile = (profile: Uint8Array): Uint8Array =>
  pngChunk("iCCP", bytesOf("icc", 0, 0, deflateSync(profile)))
