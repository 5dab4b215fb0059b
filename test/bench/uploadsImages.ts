import sharp from "sharp"
import { INLINE_IMAGE_BYTES_MAX } from "../../schemas/publishing/uploads/limits.ts"
import { randomFrom } from "./words.ts"

/** A file to be uploaded. */
export interface UploadedImage {
  readonly mediaType: "image/jpeg" | "image/png"
  readonly bytes: Buffer
}

/** Bytes that an image has to have. */
interface Room {
  readonly min: number
  readonly max: number
}

/** Pixels of a photograph, and how strong its grain is, of 256. */
interface Camera {
  readonly width: number
  readonly height: number
  readonly grain: number
}

/** The JPEG of a browser that made a photograph smaller, and how many of them differ. */
const SMALL = { width: 1600, height: 1200, grain: 24 }
const SMALL_ROOM: Room = { min: 190_000, max: 210_000 }
const SMALL_COUNT = 32
/** Nearly as many bytes as an image may have. */
const LARGE_ROOM: Room = { min: 0.9 * INLINE_IMAGE_BYTES_MAX, max: INLINE_IMAGE_BYTES_MAX }
const LARGE_COUNT = 8
/** Of a telephone's camera. */
const LARGE_JPEG = { width: 3264, height: 2448, grain: 60 }
/** Noise does not compress: three bytes a pixel. */
const LARGE_PNG = { width: 1500, height: 1100 }

const camera = {
  IFD0: {
    Make: "Pennypress",
    Model: "Benchmark",
    Software: "test/bench",
    ImageDescription: "A photograph that was never taken",
    Copyright: "Nobody"
  },
  IFD2: { DateTimeOriginal: "2026:01:01 12:00:00", LensModel: "50mm f/1.8" },
  IFD3: {
    GPSLatitudeRef: "N",
    GPSLatitude: "52/1 31/1 12/1",
    GPSLongitudeRef: "E",
    GPSLongitude: "13/1 24/1 36/1"
  }
}

const noise = (random: () => number, width: number, height: number, strength: number) => {
  const pixels = Buffer.alloc(width * height * 3)
  for (let at = 0; at < pixels.length; at++) pixels[at] = 128 + (random() - 0.5) * strength
  return { pixels, raw: { width, height, channels: 3 as const } }
}

/** Shapes of several sizes over each other, and grain: about as hard to code as a photograph. */
const photograph = async (seed: number, { grain, height, width }: Camera) => {
  const random = randomFrom(seed)
  const layer = async (size: number, strength: number) => {
    const { pixels, raw } = noise(random, Math.ceil(width / size), Math.ceil(height / size), strength)
    const enlarged = sharp(pixels, { raw }).resize(width, height, { fit: "fill", kernel: "cubic" })
    return enlarged.raw().toBuffer()
  }
  const raw = { width, height, channels: 3 as const }
  const base = await layer(200, 255)
  const over = await Promise.all([layer(40, 160), layer(8, 70), layer(2, grain)])
  return sharp(base, { raw })
    .composite(over.map((input) => ({ input, raw, blend: "soft-light" as const })))
    .removeAlpha()
    .raw()
    .toBuffer()
}

const isWithin = ({ length }: Buffer, { max, min }: Room) => length >= min && length <= max

/** The highest quality whose JPEG has room: qualities that are tried begin with that of the image before. */
const jpegMaker = (size: Camera, room: Room) => {
  let quality = 82
  const encode = (pixels: Buffer) =>
    sharp(pixels, { raw: { width: size.width, height: size.height, channels: 3 } })
      .withExif(camera)
      .jpeg({ quality })
      .toBuffer()
  return async (seed: number): Promise<UploadedImage> => {
    const pixels = await photograph(seed, size)
    let bytes = await encode(pixels)
    for (let tries = 0; !isWithin(bytes, room) && tries < 60; tries++) {
      quality += bytes.length > room.max ? -1 : 1
      bytes = await encode(pixels)
    }
    if (!isWithin(bytes, room)) throw new Error(`A JPEG of ${bytes.length} bytes is not what was asked for`)
    return { mediaType: "image/jpeg", bytes }
  }
}

const largePng = async (seed: number): Promise<UploadedImage> => {
  const { pixels, raw } = noise(randomFrom(seed), LARGE_PNG.width, LARGE_PNG.height, 255)
  const bytes = await sharp(pixels, { raw }).png({ compressionLevel: 1 }).toBuffer()
  if (!isWithin(bytes, LARGE_ROOM))
    throw new Error(`A PNG of ${bytes.length} bytes is not what was asked for`)
  return { mediaType: "image/png", bytes }
}

const made = async (count: number, make: (seed: number) => Promise<UploadedImage>) => {
  const images: Array<UploadedImage> = []
  for (let seed = 1; seed <= count; seed++) images.push(await make(seed))
  return images
}

/** Photographs of 200 kB, give or take 10, with Exif; the same in every run. */
export const smallImages = () => made(SMALL_COUNT, jpegMaker(SMALL, SMALL_ROOM))

/** JPEGs and PNGs in turn of nearly 5 MiB, which is the most that an image may have. */
export const largeImages = async () => {
  const makers = [jpegMaker(LARGE_JPEG, LARGE_ROOM), largePng]
  return made(LARGE_COUNT, (seed) => makers[seed % 2]!(seed))
}
