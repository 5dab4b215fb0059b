import { crc32 } from "node:zlib"
import sharp from "sharp"

/** A picture as sharp takes it: red, green, blue and alpha of each pixel. */
export interface Raw {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}

/** Makes a picture from a function of the place of each pixel. */
export const rawOf = (
  width: number,
  height: number,
  pixel: (x: number, y: number) => readonly [number, number, number, number]
): Raw => {
  const pixels = new Uint8Array(width * height * 4)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) pixels.set(pixel(x, y), (y * width + x) * 4)
  return { width, height, pixels }
}

/** One colour all over. */
export const plain = (
  width: number,
  height: number,
  ...colour: readonly [number, number, number, number]
): Raw => ({
  width,
  height,
  pixels: Buffer.alloc(width * height * 4, Uint8Array.from(colour))
})

/** Makes a picture of shapes that differs with the seed and survives blurring. */
export const scene = (width: number, height: number, seed: number) =>
  rawOf(width, height, (x, y) => [
    Math.round(127 + 120 * Math.sin((x / width) * (2 + seed))),
    Math.round(127 + 120 * Math.cos((y / height) * (3 + seed))),
    Math.round(127 + 120 * Math.sin(((x + y) / (width + height)) * 5 * (1 + seed))),
    255
  ])

export const image = ({ height, pixels, width }: Raw) =>
  sharp(pixels, { raw: { width, height, channels: 4 } })

/** Stacks frames of one size below each other, as sharp takes animations. */
export const animation = (frames: ReadonlyArray<Raw>) => {
  const [first] = frames
  if (first === undefined) throw new Error("no frames")
  const { height, width } = first
  const pixels = Buffer.concat(frames.map((it) => it.pixels))
  return sharp(pixels, { raw: { width, height: height * frames.length, channels: 4, pageHeight: height } })
}

const chunk = (type: string, data: Uint8Array) => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const framing = Buffer.alloc(8)
  framing.writeUInt32BE(data.length, 0)
  framing.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([framing.subarray(0, 4), body, framing.subarray(4)])
}

/** Returns the data of a PNG's IDAT chunks, and the bytes before the first. */
const partsOf = (png: Buffer) => {
  const data: Array<Buffer> = []
  const before: Array<Buffer> = []
  for (let at = 8; at < png.length;) {
    const end = at + 12 + png.readUInt32BE(at)
    const type = png.toString("latin1", at + 4, at + 8)
    if (type === "IDAT") data.push(png.subarray(at + 8, end - 4))
    else if (type !== "IEND" && data.length === 0) before.push(png.subarray(at, end))
    at = end
  }
  return { before, data: Buffer.concat(data) }
}

export interface Drawn {
  readonly picture: Raw
  readonly x?: number
  readonly y?: number
  /** 0 none, 1 background, 2 previous */
  readonly dispose?: number
  /** 0 source, 1 over */
  readonly blend?: number
}

const words = (...numbers: ReadonlyArray<number>) => {
  const bytes = Buffer.alloc(numbers.length * 4)
  for (const [place, number] of numbers.entries()) bytes.writeUInt32BE(number, place * 4)
  return bytes
}

/** An animated PNG; the first frame is the default picture unless another is given. */
export const apngOf = async (frames: ReadonlyArray<Drawn>, hidden?: Raw, skipped = 0) => {
  const first = hidden ?? frames[0]?.picture
  if (first === undefined) throw new Error("no frames")
  const main = partsOf(await image(first).png().toBuffer())
  const chunks = [
    Buffer.from("\u0089PNG\r\n\u001a\n", "latin1"),
    ...main.before,
    chunk("acTL", words(frames.length, 0))
  ]
  if (hidden !== undefined) chunks.push(chunk("IDAT", main.data))
  let sequence = 0
  for (const [place, { blend = 0, dispose = 0, picture, x = 0, y = 0 }] of frames.entries()) {
    const control = [
      words(sequence++, picture.width, picture.height, x, y),
      Buffer.from([0, 1, 0, 10, dispose, blend])
    ]
    chunks.push(chunk("fcTL", Buffer.concat(control)))
    sequence += skipped
    const { data } = partsOf(await image(picture).png().toBuffer())
    if (place === 0 && hidden === undefined) chunks.push(chunk("IDAT", data))
    else chunks.push(chunk("fdAT", Buffer.concat([words(sequence++), data])))
  }
  chunks.push(chunk("IEND", Buffer.alloc(0)))
  return Buffer.concat(chunks)
}

const sizeOf = (width: number, height: number) => [width & 255, width >> 8, height & 255, height >> 8]

/** A GIF of this many equal frames; they are whole when they have 8 by 8 pixels. */
export const gifOfEqualFrames = (frames: number, width = 8, height = 8) => {
  const size = sizeOf(width, height)
  const screen = [...size, 0x80, 0, 0, 255, 0, 0, 0, 0, 255]
  const control = [0x21, 0xf9, 4, 0, 2, 0, 0, 0]
  const picture = [0x2c, 0, 0, 0, 0, ...size, 0, 2, 7, 0x84, 0x8f, 0xa9, 0xcb, 0xed, 0x0f, 0x63, 0]
  const frame = Buffer.from([...control, ...picture])
  return Buffer.concat([
    Buffer.from("GIF89a"),
    Buffer.from(screen),
    ...Array.from({ length: frames }, () => frame),
    Buffer.from([0x3b])
  ])
}
