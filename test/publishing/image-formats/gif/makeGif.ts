import { bytesOf, le16, noise } from "../shared/makeBytes.ts"
import { planted, plantedXmp } from "../shared/makeMetadata.ts"

/** Data in sub-blocks of at most 255 bytes, and the empty one that ends them. */
const subBlocks = (data: Uint8Array): Uint8Array => {
  const blocks: Array<Uint8Array> = []
  for (let at = 0; at < data.length; at += 255) {
    const block = data.subarray(at, at + 255)
    blocks.push(bytesOf(block.length, block))
  }
  return bytesOf(...blocks, 0)
}

/** Pixels below 128 in codes of 8 bits: the table is cleared before codes would grow. */
const coded = (pixels: Uint8Array): Uint8Array => {
  const pieces: Array<Uint8Array> = []
  for (let at = 0; at < pixels.length; at += 120) pieces.push(bytesOf(0x80, pixels.subarray(at, at + 120)))
  return bytesOf(7, subBlocks(bytesOf(...pieces, 0x81)))
}

/** 128 greys. */
const colours = Uint8Array.from({ length: 3 * 128 }, (_, at) => Math.floor(at / 3) * 2)

export const gifExtension = (label: number, ...blocks: ReadonlyArray<Uint8Array>): Uint8Array =>
  bytesOf(0x21, label, ...blocks.map((it) => bytesOf(it.length, it)), 0)

export const gifComment = (text: string): Uint8Array => bytesOf(0x21, 0xfe, subBlocks(bytesOf(text)))

/** NETSCAPE2.0: how often it repeats; 0 is for ever. */
const gifLoop = (count = 0): Uint8Array => gifExtension(0xff, bytesOf("NETSCAPE2.0"), bytesOf(1, le16(count)))

export const gifControl = (delay = 10): Uint8Array => gifExtension(0xf9, bytesOf(4, le16(delay), 0))

/** A frame of noise. */
export const gifFrame = (width: number, height: number, seed = 1, x = 0, y = 0): Uint8Array =>
  bytesOf(
    0x2c,
    le16(x),
    le16(y),
    le16(width),
    le16(height),
    0,
    coded(noise(seed, width * height).map((it) => it & 0x7f))
  )

/** A frame of one byte of pixels, for containers that no test decodes. */
export const gifStub = (width: number, height: number, x = 0, y = 0): Uint8Array =>
  bytesOf(0x2c, le16(x), le16(y), le16(width), le16(height), 0, 7, 1, 0x81, 0)

/** A GIF of a screen with 128 greys and these blocks. */
export const gifOfBlocks = (
  width: number,
  height: number,
  ...blocks: ReadonlyArray<Uint8Array>
): Uint8Array => bytesOf("GIF89a", le16(width), le16(height), 0xf6, 0, 0, colours, ...blocks, 0x3b)

export interface GifOptions {
  readonly width?: number
  readonly height?: number
  readonly frames?: number
  readonly before?: ReadonlyArray<Uint8Array>
}

/** A valid GIF of noise, each frame another; 4 × 3 with one frame unless told. */
export const gifOf = ({ width = 4, height = 3, frames = 1, before = [] }: GifOptions = {}): Uint8Array => {
  const pictures = Array.from({ length: frames }, (_, frame) =>
    bytesOf(gifControl(), gifFrame(width, height, frame + 1))
  )
  return gifOfBlocks(width, height, ...(frames > 1 ? [gifLoop()] : []), ...before, ...pictures)
}

/** A GIF of as many stubs as told, which no test decodes. */
export const gifOfStubs = (width: number, height: number, frames: number): Uint8Array => {
  const stub = bytesOf(gifControl(), gifStub(width, height))
  const blocks = new Uint8Array(stub.length * frames)
  for (let frame = 0; frame < frames; frame++) blocks.set(stub, frame * stub.length)
  return gifOfBlocks(width, height, blocks)
}

/** Extensions of metadata, with a planted text in each; the text to be drawn has a control of its own. */
export const gifMetadata = (): ReadonlyArray<Uint8Array> => [
  gifComment(planted.comment),
  bytesOf(
    0x21,
    0xff,
    11,
    "XMP DataXMP",
    plantedXmp,
    1,
    Array.from({ length: 256 }, (_, at) => 255 - at),
    0
  ),
  gifExtension(0xff, bytesOf("PRIVATE 1.0"), bytesOf(planted.unknown)),
  gifControl(77),
  gifExtension(0x01, bytesOf(le16(0), le16(0), le16(4), le16(3), 1, 1, 0, 1), bytesOf(planted.iptc)),
  gifExtension(0x42, bytesOf(planted.gps))
]
