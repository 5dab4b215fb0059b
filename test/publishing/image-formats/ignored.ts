import type { ImageFormat } from "../../../schemas/publishing/uploads/limits.ts"
import { zipOf } from "../archives/makeZip.ts"
import { gifOf } from "./gif/makeGif.ts"
import { jpegOf, jpegSegment } from "./jpeg/makeJpeg.ts"
import { apngOf, pngChunk, pngOf } from "./png/makePng.ts"
import { bytesOf, inserted, le32, patched } from "./shared/makeBytes.ts"
import { planted, plantedExif } from "./shared/makeMetadata.ts"
import { webpChunk, webpHeader, webpOf, webpOfChunks, webpPicture } from "./webp/makeWebp.ts"

/** An image with bytes that every decoder ignores, and the same image without them. */
export interface IgnoringImage {
  readonly name: string
  readonly format: ImageFormat
  readonly bytes: Uint8Array
  readonly plain: Uint8Array
}

/** Images by name: with such bytes, and without. */
type Images = Readonly<Record<string, readonly [bytes: Uint8Array, plain: Uint8Array]>>

const { trailer, unknown } = planted
const zip = zipOf([{ name: "a.txt", content: trailer }])

/** A second picture of the same format, as the rest of an image that was made smaller in its place. */
const trailers = (rest: Uint8Array): Readonly<Record<string, Uint8Array>> => ({
  "a newline": bytesOf("\n"),
  zeros: new Uint8Array(512),
  "a text": bytesOf(trailer),
  "half of an older image": bytesOf(rest.subarray(rest.length / 2), trailer),
  "an older image": bytesOf(rest, trailer),
  "a ZIP": zip,
  "a script": bytesOf(`<script>alert("${trailer}")</script>`)
})

const damaged = (type: string, data: Uint8Array) => pngChunk(type, data, 1)

const pngs = (): Images => {
  const plain = pngOf()
  const before = (...chunks: ReadonlyArray<Uint8Array>) => pngOf({ before: chunks })
  return {
    "a text with a wrong checksum": [before(damaged("tEXt", bytesOf("Comment\0", unknown))), plain],
    "a colour profile with a wrong checksum": [before(damaged("iCCP", bytesOf("icc\0\0", unknown))), plain],
    "an orientation with a wrong checksum": [before(damaged("eXIf", plantedExif(6))), plain],
    "a gamma with a wrong checksum": [before(damaged("gAMA", bytesOf("gama"))), plain],
    "an animation and an unknown chunk with a wrong checksum": [
      apngOf({ before: [damaged("prVt", bytesOf(unknown))] }),
      apngOf()
    ]
  }
}

const jpegs = async (): Promise<Images> => {
  const plain = await jpegOf()
  const comment = jpegSegment(0xfe, "plain")
  return {
    "bytes between its segments": [
      inserted(plain, 2, comment, unknown, [0, 0xff, 0], comment, "\n", [0xff, 0xff]),
      plain
    ],
    "bytes before its scan": [
      inserted(plain, Buffer.from(plain).indexOf(Buffer.of(0xff, 0xda)), unknown),
      plain
    ]
  }
}

const gifs = (): Images => ({
  "no trailer": [gifOf().subarray(0, -1), gifOf()],
  "no trailer behind three frames": [gifOf({ frames: 3 }).subarray(0, -1), gifOf({ frames: 3 })]
})

const webps = async (): Promise<Images> => {
  const lossy = webpPicture(await webpOf())
  const extended = (...more: ReadonlyArray<Uint8Array>) => webpOfChunks(webpHeader(0, 16, 8), lossy, ...more)
  const plain = extended()
  const private5 = webpChunk("PRIV", unknown.slice(0, 5))
  const sized = (bytes: Uint8Array) => patched(bytes, 4, le32(bytes.length - 8))
  return {
    "bytes within RIFF that are too few for a chunk": [sized(bytesOf(plain, unknown.slice(0, 7))), plain],
    "a last chunk of odd length without the byte that makes it even": [
      sized(extended(private5).subarray(0, -1)),
      plain
    ],
    "a last chunk of odd length whose last byte RIFF does not count": [
      patched(extended(private5), 4, le32(extended(private5).length - 9)),
      plain
    ],
    "an unknown chunk of odd length whose last byte is not zero": [
      patched(extended(private5), extended(private5).length - 1, [0x41]),
      plain
    ]
  }
}

/** Returns images of all formats with bytes that every decoder ignores, most with a planted text in them. */
export const ignoringImages = async (): Promise<ReadonlyArray<IgnoringImage>> => {
  const all: Array<IgnoringImage> = []
  const plains = {
    png: [pngOf(), pngOf({ width: 9, height: 7, seed: 2 })],
    jpeg: [await jpegOf(), await jpegOf({ seed: 2 })],
    gif: [gifOf({ frames: 2 }), gifOf({ width: 9, height: 7, frames: 3 })],
    webp: [await webpOf(), await webpOf({ seed: 2 })]
  } as const
  for (const [format, [plain, older]] of Object.entries(plains))
    for (const [name, rest] of Object.entries(trailers(older)))
      all.push({
        name: `${name} after it`,
        format: format as ImageFormat,
        bytes: bytesOf(plain, rest),
        plain
      })
  const others = { png: pngs(), jpeg: await jpegs(), gif: gifs(), webp: await webps() }
  for (const [format, images] of Object.entries(others))
    for (const [name, [bytes, plain]] of Object.entries(images))
      all.push({ name, format: format as ImageFormat, bytes, plain })
  return all
}
