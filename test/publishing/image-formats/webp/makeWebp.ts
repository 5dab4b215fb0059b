import sharp from "sharp"
import { bytesOf, le24, le32, noise, type Part } from "../shared/makeBytes.ts"
import { planted, plantedExif, plantedXmp } from "../shared/makeMetadata.ts"

/** A chunk with its length, made even. */
export const webpChunk = (type: string, ...parts: ReadonlyArray<Part>): Uint8Array => {
  const data = bytesOf(...parts)
  return bytesOf(type, le32(data.length), data, data.length % 2 === 0 ? [] : [0])
}

/** RIFF around the chunks. */
export const webpOfChunks = (...chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const content = bytesOf("WEBP", ...chunks)
  return bytesOf("RIFF", le32(content.length), content)
}

export const webpHeader = (flags: number, width: number, height: number): Uint8Array =>
  webpChunk("VP8X", flags, [0, 0, 0], le24(width - 1), le24(height - 1))

/** The part of a lossless picture that holds its size. */
export const webpStub = (width: number, height: number): Uint8Array =>
  webpChunk("VP8L", 0x2f, le32((width - 1) | ((height - 1) << 14)), 0)

export const webpFrame = (width: number, height: number, picture: Uint8Array, x = 0, y = 0): Uint8Array =>
  webpChunk("ANMF", le24(x / 2), le24(y / 2), le24(width - 1), le24(height - 1), le24(100), 0, picture)

export const webpAnimation = webpChunk("ANIM", [0, 0, 0, 0, 0, 0])

/** The chunks that show a picture, out of a WebP of any kind. */
export const webpPicture = (webp: Uint8Array): Uint8Array => {
  const view = new DataView(webp.buffer, webp.byteOffset)
  const pieces: Array<Uint8Array> = []
  for (let at = 12; at < webp.length;) {
    const end = at + 8 + view.getUint32(at + 4, true) + (view.getUint32(at + 4, true) % 2)
    const type = Buffer.from(webp.subarray(at, at + 4)).toString("latin1")
    if (["ALPH", "VP8 ", "VP8L"].includes(type)) pieces.push(webp.subarray(at, end))
    at = end
  }
  return bytesOf(...pieces)
}

export interface WebpOptions {
  readonly width?: number
  readonly height?: number
  readonly seed?: number
  readonly isLossless?: boolean
  readonly hasAlpha?: boolean
}

/** A valid WebP of noise; lossy and 16 × 8 unless told. */
export const webpOf = async (options: WebpOptions = {}): Promise<Uint8Array> => {
  const { width = 16, height = 8, seed = 1, isLossless = false, hasAlpha = false } = options
  const channels = hasAlpha ? 4 : 3
  const raw = sharp(noise(seed, width * height * channels), { raw: { width, height, channels } })
  return new Uint8Array(await raw.webp({ lossless: isLossless }).toBuffer())
}

/** A valid animated WebP of noise, each frame another. `extra` stands in each frame before its picture. */
export const animatedWebpOf = async (
  frames: number,
  options: WebpOptions & { readonly extra?: Uint8Array } = {}
): Promise<Uint8Array> => {
  const { width = 16, height = 8, extra = new Uint8Array(0) } = options
  const pictures = await Promise.all(
    Array.from({ length: frames }, (_, frame) => webpOf({ ...options, seed: frame + 1 }))
  )
  const shown = pictures.map((it) => webpFrame(width, height, bytesOf(webpPicture(it), extra)))
  return webpOfChunks(webpHeader(options.hasAlpha ? 0x12 : 0x02, width, height), webpAnimation, ...shown)
}

/** A WebP of a picture with EXIF, XMP and an unknown chunk, a planted text in each, and an ICC profile if given. */
export const webpWithMetadata = (
  picture: { readonly width: number; readonly height: number; readonly chunks: Uint8Array },
  orientation: number,
  profile?: Uint8Array
): Uint8Array =>
  webpOfChunks(
    webpHeader(profile === undefined ? 0x0c : 0x2c, picture.width, picture.height),
    ...(profile === undefined ? [] : [webpChunk("ICCP", profile)]),
    picture.chunks,
    webpChunk("EXIF", plantedExif(orientation)),
    webpChunk("XMP ", plantedXmp),
    webpChunk("PRIV", planted.unknown)
  )
