import * as Result from "effect/Result"
import { u32be, u8, type Span } from "../shared/bytes.ts"
import { malformed, type ImageRefusal } from "../shared/refusal.ts"
import { pngTypes, type PngChunk, type PngHeader } from "./pngChunks.ts"

/** One frame of an animated PNG: where it is drawn on the canvas and how, and what happens to it before the next. */
export interface PngFrame {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** The fate of its region before the next frame: unchanged, transparent, or restored. */
  readonly dispose: "none" | "background" | "previous"
  /** `source` replaces the pixels of the canvas; `over` lays these pixels over them. */
  readonly blend: "source" | "over"
  /** Its coded pixels, in parts that follow each other. */
  readonly data: ReadonlyArray<Span>
}

/** The pictures of a PNG. */
export interface PngFrames {
  /**
   * Pictures that the image shows: 1 without animation. An animation counts the frames that it declares or has, whichever
   * are more, and its default picture if that is not a frame: many programs show only that one.
   */
  readonly pictures: number
  /** True when the picture that programs without animation show is the first frame too. */
  readonly isDefaultFirst: boolean
  /** Empty when the image is not animated. */
  readonly frames: ReadonlyArray<PngFrame>
}

const CONTROL_LENGTH = 26
const disposals = ["none", "background", "previous"] as const
const blends = ["source", "over"] as const

const outOfPlace = malformed("The animated PNG has a frame that is wrong or out of place.")
const outsideCanvas = malformed("The animated PNG has a frame outside its canvas.")

/** Frames so far; `data` grows until the next frame begins. */
interface Reading {
  readonly frames: Array<PngFrame & { readonly data: Array<Span> }>
  declared: number
  /** Frame controls and frame data count up together, from 0. */
  sequence: number
  hasPicture: boolean
  isDefaultFirst: boolean
}

/** Frames whose data are in IDAT: the first one, when it is the default picture. */
const plainFrames = ({ isDefaultFirst }: Reading) => (isDefaultFirst ? 1 : 0)

/** Takes a piece of the default picture. */
const takePicture = (reading: Reading, data: Span) => {
  if (!reading.hasPicture) reading.isDefaultFirst = reading.frames.length > 0
  reading.hasPicture = true
  if (reading.frames.length > plainFrames(reading)) return outOfPlace
  reading.frames[0]?.data.push(data)
  return undefined
}

/** Takes a frame control. The default picture may be announced as the first frame, and has to fill the canvas then. */
const takeControl = (bytes: Uint8Array, reading: Reading, canvas: PngHeader, at: number) => {
  if (!reading.hasPicture && reading.frames.length > 0) return outOfPlace
  const [width, height] = [u32be(bytes, at + 4), u32be(bytes, at + 8)]
  const [x, y] = [u32be(bytes, at + 12), u32be(bytes, at + 16)]
  const dispose = disposals[u8(bytes, at + 24)]
  const blend = blends[u8(bytes, at + 25)]
  if (dispose === undefined || blend === undefined) return outOfPlace
  const isOnCanvas = reading.hasPicture
    ? width > 0 && height > 0 && x + width <= canvas.width && y + height <= canvas.height
    : width === canvas.width && height === canvas.height && x === 0 && y === 0
  if (!isOnCanvas) return outsideCanvas
  reading.frames.push({ x, y, width, height, dispose, blend, data: [] })
  return undefined
}

/** Takes a piece of a frame after the default picture. */
const takeData = (reading: Reading, data: Span) => {
  if (!reading.hasPicture || reading.frames.length <= plainFrames(reading)) return outOfPlace
  reading.frames.at(-1)?.data.push(data)
  return undefined
}

/** Takes a chunk; a refusal when it is wrong or out of place. */
const take = (bytes: Uint8Array, reading: Reading, canvas: PngHeader, { length, start, type }: PngChunk) => {
  const at = start + 8
  const end = at + length
  const isNext = () => reading.declared > 0 && u32be(bytes, at) === reading.sequence++
  switch (type) {
    case pngTypes.data:
      return takePicture(reading, { start: at, end })
    case pngTypes.animation:
      if (reading.hasPicture || reading.declared > 0 || length !== 8 || u32be(bytes, at) === 0) {
        return malformed("The animated PNG has a header that is wrong or out of place.")
      }
      reading.declared = u32be(bytes, at)
      return undefined
    case pngTypes.frame:
      return length === CONTROL_LENGTH && isNext() ? takeControl(bytes, reading, canvas, at) : outOfPlace
    case pngTypes.frameData:
      return length >= 4 && isNext() ? takeData(reading, { start: at + 4, end }) : outOfPlace
    default:
      return undefined
  }
}

/**
 * Reads the pictures of a PNG, without decoding them. Strict, because viewers disagree about what is wrong: sequence
 * numbers count from 0, regions are on the canvas, every frame has data. Fails with `malformed`.
 */
export const readPngFrames = (
  bytes: Uint8Array,
  chunks: ReadonlyArray<PngChunk>,
  canvas: PngHeader
): Result.Result<PngFrames, ImageRefusal> => {
  const reading: Reading = { frames: [], declared: 0, sequence: 0, hasPicture: false, isDefaultFirst: false }
  for (const chunk of chunks) {
    const refusal = take(bytes, reading, canvas, chunk)
    if (refusal !== undefined) return refusal
  }
  const { declared, frames, isDefaultFirst } = reading
  if (declared === 0) return Result.succeed({ pictures: 1, isDefaultFirst, frames })
  if (frames.length === 0 || frames.some(({ data }) => data.length === 0)) {
    return malformed("The animated PNG has a frame without data.")
  }
  const pictures = Math.max(declared, frames.length) + (isDefaultFirst ? 0 : 1)
  return Result.succeed({ pictures, isDefaultFirst, frames })
}
