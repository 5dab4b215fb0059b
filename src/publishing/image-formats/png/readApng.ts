import * as Result from "effect/Result"
import { fourLetters, lengthOf, type Span } from "../shared/bytes.ts"
import { crc32 } from "../shared/crc32.ts"
import { endOf, pngChunks, pngHeader, pngTypes, type PngChunk } from "./pngChunks.ts"
import { readPngFrames, type PngFrame } from "./pngFrames.ts"

/** One frame of an animated PNG, with the still PNG of it alone. */
export interface ApngFrame extends Omit<PngFrame, "data"> {
  /** Makes a still PNG of the frame, for a decoder without animation. */
  readonly png: () => Uint8Array<ArrayBuffer>
}

/** An animated PNG in its frames. */
export interface Apng {
  readonly width: number
  readonly height: number
  /** True when the picture that programs without animation show is the first frame too. */
  readonly isDefaultFirst: boolean
  readonly frames: ReadonlyArray<ApngFrame>
}

/** Bytes of a chunk's length and type, and of all its framing. */
const HEAD = 8
const FRAMING = 12

/** Chunks that say how pixels become colours, which every frame shares with the default picture. */
const shared: ReadonlySet<number> = new Set(
  ["PLTE", "tRNS", "gAMA", "cHRM", "sRGB", "sBIT", "iCCP", "cICP"].map(fourLetters)
)

const writeChunk = (into: Uint8Array, at: number, type: number, data: ReadonlyArray<Uint8Array>): number => {
  const view = new DataView(into.buffer)
  let end = at + HEAD
  for (const piece of data) {
    into.set(piece, end)
    end += piece.length
  }
  view.setUint32(at, end - at - HEAD)
  view.setUint32(at + 4, type)
  view.setUint32(end, crc32(into, at + 4, end))
  return end + 4
}

/** Chunks that every frame begins with: the shared ones before the picture, IHDR left out. */
const commonOf = (chunks: ReadonlyArray<PngChunk>): ReadonlyArray<Span> => {
  const picture = chunks.findIndex(({ type }) => type === pngTypes.data)
  return chunks
    .slice(0, picture)
    .filter(({ type }) => shared.has(type))
    .map((chunk) => ({ start: chunk.start, end: endOf(chunk) }))
}

/** Makes a still PNG of a frame: its size, its data, and the pixel format of the image. */
const stillOf = (bytes: Uint8Array, common: ReadonlyArray<Span>, { data, height, width }: PngFrame) => {
  const piece = ({ end, start }: Span) => bytes.subarray(start, end)
  // A copy, which `slice` of a Buffer is not.
  const header = Uint8Array.from(bytes.subarray(16, 29))
  const size = new DataView(header.buffer)
  size.setUint32(0, width)
  size.setUint32(4, height)
  const png = new Uint8Array(HEAD + 3 * FRAMING + header.length + lengthOf(common) + lengthOf(data))
  png.set(bytes.subarray(0, HEAD))
  let at = writeChunk(png, HEAD, pngTypes.header, [header])
  for (const part of common) {
    png.set(piece(part), at)
    at += part.end - part.start
  }
  at = writeChunk(png, at, pngTypes.data, data.map(piece))
  writeChunk(png, at, pngTypes.end, [])
  return png
}

/**
 * Takes an animated PNG apart without decoding it; `still` when it is not animated. Linear in the bytes: frames are parts
 * of `bytes` until each still PNG is made. Leaves checksums to {@link readPng}.
 */
export const readApng = (bytes: Uint8Array): Apng | "still" | "malformed" => {
  const chunks = pngChunks(bytes)
  if (Result.isFailure(chunks)) return "malformed"
  const header = pngHeader(bytes, chunks.success[0])
  if (header === undefined) return "malformed"
  const read = readPngFrames(bytes, chunks.success, header)
  if (Result.isFailure(read)) return "malformed"
  if (read.success.frames.length === 0) return "still"
  const common = commonOf(chunks.success)
  return {
    width: header.width,
    height: header.height,
    isDefaultFirst: read.success.isDefaultFirst,
    frames: read.success.frames.map((frame) =>
      Object.assign(frame, { png: () => stillOf(bytes, common, frame) })
    )
  }
}
