import { fourLetters, isTextAt, u32be, u8 } from "./bytes.ts"
import { crc32 } from "./crc32.ts"

/** One frame of an animated PNG: where on the canvas it is drawn, how, and what becomes of it before the next. */
export interface ApngFrame {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** What its region of the canvas becomes after it was shown: stays, transparent, or what it was before. */
  readonly dispose: "none" | "background" | "previous"
  /** Whether its pixels replace those of the canvas or are laid over them. */
  readonly blend: "source" | "over"
  /** Makes a still PNG of it, for a decoder that knows no animation. */
  readonly png: () => Uint8Array<ArrayBuffer>
}

/** An animated PNG taken apart. */
export interface Apng {
  readonly width: number
  readonly height: number
  /** Whether the picture that is shown where no animation is known is the first frame too. */
  readonly isDefaultFirst: boolean
  readonly frames: ReadonlyArray<ApngFrame>
}

const SIGNATURE = "\u0089PNG\r\n\u001a\n"
/** Bytes of a chunk's length and type, and with its checksum of all but its data. */
const HEAD = 8
const FRAMING = 12
const CONTROL_LENGTH = 26
const IHDR = fourLetters("IHDR")
const IDAT = fourLetters("IDAT")
const IEND = fourLetters("IEND")
const acTL = fourLetters("acTL")
const fcTL = fourLetters("fcTL")
const fdAT = fourLetters("fdAT")

// What says how pixels become colours, which every frame shares with the default picture.
const shared = new Set(["PLTE", "tRNS", "gAMA", "cHRM", "sRGB", "sBIT", "iCCP", "cICP"].map(fourLetters))

const disposals = ["none", "background", "previous"] as const
const blends = ["source", "over"] as const

/** A part of the bytes, from `start` to before `end`. */
interface Part {
  readonly start: number
  readonly end: number
}

/** What is known of the chunks so far. */
interface Reading {
  readonly bytes: Uint8Array
  readonly width: number
  readonly height: number
  /** Whole chunks that every frame begins with, IHDR left out. */
  readonly common: Array<Part>
  readonly frames: Array<{ readonly control: number; readonly data: Array<Part> }>
  isAnimated: boolean
  hasPicture: boolean
  isDefaultFirst: boolean
  /** Numbers of frame controls and frame data, which count up together. */
  sequence: number
}

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

const lengthOf = (parts: ReadonlyArray<Part>) => parts.reduce((sum, { end, start }) => sum + end - start, 0)

/** A still PNG of the size of a frame, of the image's kind of pixels, with the frame's data as its own. */
const pngOf = ({ bytes, common }: Reading, width: number, height: number, data: ReadonlyArray<Part>) => {
  const piece = ({ end, start }: Part) => bytes.subarray(start, end)
  // A copy, which `slice` of a Buffer is not.
  const header = Uint8Array.from(bytes.subarray(16, 29))
  const size = new DataView(header.buffer)
  size.setUint32(0, width)
  size.setUint32(4, height)
  const png = new Uint8Array(HEAD + 3 * FRAMING + header.length + lengthOf(common) + lengthOf(data))
  png.set(bytes.subarray(0, HEAD))
  let at = writeChunk(png, HEAD, IHDR, [header])
  for (const part of common) {
    png.set(piece(part), at)
    at += part.end - part.start
  }
  at = writeChunk(png, at, IDAT, data.map(piece))
  writeChunk(png, at, IEND, [])
  return png
}

const frameOf = (reading: Reading, control: number, data: ReadonlyArray<Part>): ApngFrame | undefined => {
  const { bytes } = reading
  const [width, height] = [u32be(bytes, control + 4), u32be(bytes, control + 8)]
  const [x, y] = [u32be(bytes, control + 12), u32be(bytes, control + 16)]
  const dispose = disposals[u8(bytes, control + 24)]
  const blend = blends[u8(bytes, control + 25)]
  const isInside =
    width > 0 && height > 0 && x + width <= reading.width && y + height <= reading.height && data.length > 0
  if (!isInside || dispose === undefined || blend === undefined) return undefined
  return { x, y, width, height, dispose, blend, png: () => pngOf(reading, width, height, data) }
}

/** Takes the data of a frame or of the default picture; false when it is out of place. */
const takeData = (reading: Reading, part: Part, isDefault: boolean) => {
  const frame = reading.frames.at(-1)
  if (!isDefault) {
    const isInPlace =
      reading.hasPicture && frame !== undefined && !(reading.isDefaultFirst && reading.frames.length === 1)
    if (isInPlace) frame.data.push(part)
    return isInPlace
  }
  if (!reading.hasPicture) {
    reading.hasPicture = true
    reading.isDefaultFirst = frame !== undefined
  }
  if (reading.frames.length > (reading.isDefaultFirst ? 1 : 0)) return false
  frame?.data.push(part)
  return true
}

/** Takes a chunk whose data is `part`; false when it is out of place. */
const take = (reading: Reading, type: number, { end, start }: Part): boolean => {
  const length = end - start
  const isNext = () => length >= 4 && u32be(reading.bytes, start) === reading.sequence++
  switch (type) {
    case acTL:
      if (reading.hasPicture || reading.isAnimated) return false
      reading.isAnimated = true
      return true
    case fcTL:
      // One frame may be announced before the default picture: that it is.
      if (length !== CONTROL_LENGTH || !isNext() || (!reading.hasPicture && reading.frames.length > 0))
        return false
      reading.frames.push({ control: start, data: [] })
      return true
    case fdAT:
      return length >= 4 && isNext() && takeData(reading, { start: start + 4, end }, false)
    case IDAT:
      return takeData(reading, { start, end }, true)
    default:
      if (shared.has(type) && !reading.hasPicture) reading.common.push({ start: start - HEAD, end: end + 4 })
      return true
  }
}

const readingOf = (bytes: Uint8Array): Reading => ({
  bytes,
  width: u32be(bytes, 16),
  height: u32be(bytes, 20),
  common: [],
  frames: [],
  isAnimated: false,
  hasPicture: false,
  isDefaultFirst: false,
  sequence: 0
})

const apngOf = (reading: Reading): Apng | "still" | "malformed" => {
  if (!reading.isAnimated) return reading.frames.length === 0 ? "still" : "malformed"
  const { height, isDefaultFirst, width } = reading
  const frames = reading.frames.flatMap(({ control, data }) => frameOf(reading, control, data) ?? [])
  const [first] = frames
  const isWhole = first !== undefined && frames.length === reading.frames.length
  if (!isWhole || (isDefaultFirst && (first.width !== width || first.height !== height))) return "malformed"
  return { width, height, isDefaultFirst, frames }
}

/**
 * Takes an animated PNG apart without decoding it; `still` when nothing says that it is animated. Linear in the bytes, and
 * bounded by them: the frames are parts of `bytes` until each is made. Strict, as viewers disagree about what is wrong:
 * sequence numbers count from 0, regions are within the canvas, every frame has data. Checksums were checked by
 * whoever read the container (`png.ts`).
 */
export const readApng = (bytes: Uint8Array): Apng | "still" | "malformed" => {
  if (!isTextAt(bytes, 0, SIGNATURE) || u32be(bytes, 12) !== IHDR || u32be(bytes, 8) !== 13)
    return "malformed"
  const reading = readingOf(bytes)
  for (let at = HEAD; at + FRAMING <= bytes.length;) {
    const type = u32be(bytes, at + 4)
    const end = at + HEAD + u32be(bytes, at)
    if (end + 4 > bytes.length) return "malformed"
    if (type === IEND) return reading.hasPicture ? apngOf(reading) : "malformed"
    if (!take(reading, type, { start: at + HEAD, end })) return "malformed"
    at = end + 4
  }
  return "malformed"
}
