import { createHash } from "node:crypto"
import sharp, { type SharpOptions } from "sharp"
import sharpPhash from "sharp-phash"
import {
  DECODED_PIXELS_MAX,
  FRAME_PIXELS_MAX,
  type ImageFormat,
  REPRESENTATIONS_MAX
} from "../../schemas/publishing/uploads/limits.ts"
import { makeApngCanvas } from "../../src/publishing/image-formats/png/apngCanvas.ts"
import { type Apng, type ApngFrame, readApng } from "../../src/publishing/image-formats/png/readApng.ts"
import { publicCopyOf } from "../../src/publishing/image-formats/publicCopy.ts"
import { serveJobs } from "../process-pool/processJobs.ts"
import { scaledCopies } from "./scaledCopies.ts"
import { decoding, strict, Unreadable } from "./strictSharp.ts"

/** The question that accompanies the bytes. */
export interface ImageQuestion {
  readonly task: "inspect" | "scale"
  readonly format: ImageFormat
  /** Pixels of the copies, ascending. */
  readonly widths: ReadonlyArray<number>
}

/** Colours and opacity of each pixel, row by row. */
interface Picture {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}

// Its types declare a default export, while the module itself is the function.
const phash = sharpPhash as unknown as typeof sharpPhash.default

/** Decodes the pages that the options name, as 8 bits of red, green, blue and alpha in sRGB. */
const pixelsOf = async (bytes: Uint8Array, options: SharpOptions, isOriented: boolean): Promise<Picture> => {
  const { data, info } = await decoding(() => {
    const image = sharp(bytes, { ...strict, ...options })
    return (isOriented ? image.autoOrient() : image)
      .toColourspace("srgb")
      .ensureAlpha()
      .raw({ depth: "uchar" })
      .toBuffer({ resolveWithObject: true })
  })
  if (info.channels !== 4) throw new Unreadable("undecodable")
  return { width: info.width, height: info.height, pixels: data }
}

/** The canvas of an image and the frames that sharp sees. */
interface Header {
  readonly width: number
  readonly height: number
  readonly pages: number
}

/** Returns the size of the image. Checks it and the format before any pixel is decoded. */
const headerOf = async (bytes: Uint8Array, format: ImageFormat): Promise<Header> => {
  const header = await decoding(() => sharp(bytes, { ...strict, limitInputPixels: false }).metadata())
  const { height, pages = 1, width } = header
  if (header.format !== format) throw new Unreadable("undecodable")
  if (width * height > FRAME_PIXELS_MAX) throw new Unreadable("too_many_pixels")
  if (width * height * pages > DECODED_PIXELS_MAX) throw new Unreadable("too_many_pixels")
  return { width, height, pages }
}

/**
 * Decodes the frames of a GIF or WebP, as many at the same time as have the pixels of the largest picture. The decoder
 * starts from the first frame each time, so that one frame at a time would cost the square.
 */
const animation = async function* (bytes: Uint8Array, { height, pages, width }: Header) {
  const framePixels = width * height
  const together = Math.max(1, Math.floor(FRAME_PIXELS_MAX / framePixels))
  for (let page = 0; page < pages; page += together) {
    const count = Math.min(together, pages - page)
    const { pixels } = await pixelsOf(bytes, { page, pages: count }, false)
    if (pixels.length !== count * framePixels * 4) throw new Unreadable("undecodable")
    for (let frame = 0; frame < count; frame++) {
      const start = frame * framePixels * 4
      yield { width, height, pixels: pixels.subarray(start, start + framePixels * 4) }
    }
  }
}

/** Maximum number of frames that are remembered, and maximum bytes of their pixels. */
const REMEMBERED_MAX = 256
const REMEMBERED_BYTES_MAX = 64 * 1024

const framePixelsOf = async (png: Uint8Array, { height, width }: ApngFrame) => {
  const picture = await pixelsOf(png, {}, false)
  if (picture.width !== width || picture.height !== height) throw new Unreadable("undecodable")
  return picture.pixels
}

/**
 * Yields the pictures of an animated PNG: the still picture, which viewers without animation show, then the canvas
 * after each frame. A frame alone is shown nowhere.
 */
const animatedPng = async function* (bytes: Uint8Array, { frames, height, isDefaultFirst, width }: Apng) {
  const pictures = frames.length + (isDefaultFirst ? 0 : 1)
  if (width * height * pictures > DECODED_PIXELS_MAX) throw new Unreadable("too_many_pixels")
  if (!isDefaultFirst) yield await pixelsOf(bytes, {}, false)
  const canvas = makeApngCanvas(width, height)
  // Repeated frames are decoded once: even a frame of a few pixels takes a millisecond.
  const decoded = new Map<string, Uint8Array>()
  for (const frame of frames) {
    const png = frame.png()
    const key = createHash("sha256").update(png).digest("base64")
    const pixels = decoded.get(key) ?? (await framePixelsOf(png, frame))
    if (pixels.length <= REMEMBERED_BYTES_MAX && decoded.size < REMEMBERED_MAX) decoded.set(key, pixels)
    yield { width, height, pixels: canvas.show(frame, pixels) }
  }
}

const picturesOf = async function* (bytes: Uint8Array, format: ImageFormat): AsyncGenerator<Picture> {
  const header = await headerOf(bytes, format)
  const apng = format === "png" ? readApng(bytes) : "still"
  if (apng === "malformed") throw new Unreadable("undecodable")
  if (apng !== "still") yield* animatedPng(bytes, apng)
  else if (header.pages > 1) yield* animation(bytes, header)
  else yield await pixelsOf(bytes, {}, true)
}

/** Clears the colour of invisible pixels, so that pictures that look the same are the same. */
const hideUnseen = (pixels: Uint8Array) => {
  for (let alpha = 3; alpha < pixels.length; alpha += 4) {
    if (pixels[alpha] !== 0) continue
    pixels[alpha - 1] = 0
    pixels[alpha - 2] = 0
    pixels[alpha - 3] = 0
  }
}

const digestOf = ({ height, pixels, width }: Picture) => {
  const size = new Uint32Array([width, height])
  return createHash("sha256").update(Buffer.from(size.buffer)).update(pixels).digest("hex")
}

const PHASH_SIDE = 32

/**
 * Returns the perceptual hash of the picture on a white page. sharp-phash takes no transparency, so the picture is
 * made small here.
 */
const perceptualOf = async ({ height, pixels, width }: Picture) => {
  const small = await sharp(pixels, {
    raw: { width, height, channels: 4 },
    limitInputPixels: FRAME_PIXELS_MAX
  })
    .flatten({ background: "#ffffff" })
    .greyscale()
    .resize(PHASH_SIDE, PHASH_SIDE, { fit: "fill" })
    .raw()
    .toBuffer()
  const bits = await phash(small, { raw: { width: PHASH_SIDE, height: PHASH_SIDE, channels: 1 } })
  return BigInt(`0b${bits}`).toString(16).padStart(16, "0")
}

/** Returns what readers see: the decoder takes the bytes that all decoders ignore for damage. */
const shownOf = (bytes: Uint8Array, format: ImageFormat) => {
  try {
    return publicCopyOf(bytes, { format })
  } catch {
    throw new Unreadable("undecodable")
  }
}

const inspect = async (received: Uint8Array, format: ImageFormat) => {
  const bytes = shownOf(received, format)
  const representations = new Map<string, string>()
  let frames = 0
  for await (const picture of picturesOf(bytes, format)) {
    frames++
    hideUnseen(picture.pixels)
    const pixels = digestOf(picture)
    if (representations.has(pixels)) continue
    if (representations.size === REPRESENTATIONS_MAX) throw new Unreadable("too_many_representations")
    representations.set(pixels, await perceptualOf(picture))
  }
  return {
    frames,
    representations: Array.from(representations, ([pixels, perceptual]) => ({ pixels, perceptual }))
  }
}

// The program of a process; see ImageDecoderSharp.
serveJobs<ImageQuestion>(async ({ format, task, widths }, bytes) => {
  try {
    if (task === "inspect") return { inspected: await inspect(bytes, format) }
    return { scaled: await scaledCopies(shownOf(bytes, format), format, widths) }
  } catch (cause) {
    if (cause instanceof Unreadable) return { unreadable: cause.reason }
    throw cause
  }
})
