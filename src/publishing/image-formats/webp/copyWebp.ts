import * as Result from "effect/Result"
import { WEBP_FRAME_CHUNKS_MAX } from "../shared/bounds.ts"
import { copyOf, isTextAt, u8, type PartialCopy } from "../shared/bytes.ts"
import { exifOf, orientationOf } from "../shared/exif.ts"
import type { ImageRefusal } from "../shared/refusal.ts"
import {
  FRAME_HEAD,
  isBitstream,
  riffChunks,
  webpChunks,
  webpFlags,
  webpTypes,
  type WebpChunk
} from "./webpChunks.ts"

/** Makes a chunk's name and length, and its data if given. */
const chunkOf = (type: number, length: number, data: Uint8Array = new Uint8Array(0)): Uint8Array => {
  const chunk = new Uint8Array(8 + data.length)
  const view = new DataView(chunk.buffer)
  view.setUint32(0, type)
  view.setUint32(4, length, true)
  chunk.set(data, 8)
  return chunk
}

/** Picks the picture among chunks, and the transparency that precedes it. */
const pictureOf = (chunks: ReadonlyArray<WebpChunk>): ReadonlyArray<WebpChunk> => {
  const place = chunks.findIndex(isBitstream)
  const alpha = chunks.findIndex((it) => it.type === webpTypes.alpha)
  // A lossless picture includes its transparency.
  const hasAlpha = alpha >= 0 && alpha < place && chunks[place]?.type === webpTypes.lossy
  return chunks.filter((_, at) => at === place || (hasAlpha && at === alpha))
}

/** Keeps a chunk with its data. The byte that makes it even becomes zero. */
const keep = (copy: PartialCopy, bytes: Uint8Array, { at, length, end }: WebpChunk) => {
  const dataEnd = at + length
  copy.keep(at - 8, dataEnd)
  if (length % 2 === 0) return
  if (end > dataEnd && bytes[dataEnd] === 0) copy.keep(dataEnd, end)
  else copy.put(Uint8Array.of(0))
}

/** Keeps a frame with its picture alone. */
const keepFrame = (copy: PartialCopy, bytes: Uint8Array, { at, end }: WebpChunk) => {
  const chunks = pictureOf(
    Result.getOrElse(riffChunks(bytes, at + FRAME_HEAD, end, WEBP_FRAME_CHUNKS_MAX), () => [])
  )
  const length = chunks.reduce((sum, it) => sum + 8 + it.length + (it.length % 2), FRAME_HEAD)
  copy.put(chunkOf(webpTypes.frame, length))
  copy.keep(at, at + FRAME_HEAD)
  for (const chunk of chunks) keep(copy, bytes, chunk)
}

/** Reads the orientation in an EXIF chunk. Some programs begin it as JPEG does. */
const orientationIn = (bytes: Uint8Array, { at, length }: WebpChunk) =>
  orientationOf(bytes, isTextAt(bytes, at, "Exif\0\0") ? at + 6 : at, at + length)

/** Copies an extended WebP. Programs ignore chunks that its header does not announce. */
const keepExtended = (
  copy: PartialCopy,
  bytes: Uint8Array,
  head: WebpChunk,
  chunks: ReadonlyArray<WebpChunk>
) => {
  const flags = u8(bytes, head.at)
  const first = (type: number, flag: number) =>
    flags & flag ? chunks.find((it) => it.type === type) : undefined
  // A profile can hold texts, about colours and devices. The picture changes without it.
  const profile = first(webpTypes.profile, webpFlags.profile)
  const exif = first(webpTypes.exif, webpFlags.exif)
  const animation = first(webpTypes.animation, webpFlags.animation)
  const orientation = exif === undefined ? undefined : orientationIn(bytes, exif)
  const left =
    (flags & (webpFlags.animation | webpFlags.alpha)) |
    (profile === undefined ? 0 : webpFlags.profile) |
    (orientation === undefined ? 0 : webpFlags.exif)
  copy.put(chunkOf(head.type, 10, Uint8Array.of(left, 0, 0, 0)))
  copy.keep(head.at + 4, head.at + 10)
  if (profile !== undefined) keep(copy, bytes, profile)
  if (animation !== undefined) {
    copy.put(chunkOf(animation.type, 6))
    copy.keep(animation.at, animation.at + 6)
  }
  const pictures = animation === undefined ? pictureOf(chunks) : []
  for (const chunk of pictures) keep(copy, bytes, chunk)
  for (const chunk of chunks) if (chunk.type === webpTypes.frame) keepFrame(copy, bytes, chunk)
  if (orientation !== undefined) {
    const data = exifOf(orientation)
    copy.put(chunkOf(webpTypes.exif, data.length, data))
  }
}

/** Copies a WebP without the chunks that do not change how it looks. */
export const copyWebp = (bytes: Uint8Array): Result.Result<ReadonlyArray<Uint8Array>, ImageRefusal> =>
  Result.map(webpChunks(bytes), ([head, ...chunks]) => {
    const copy = copyOf(bytes)
    if (head?.type === webpTypes.extended) keepExtended(copy, bytes, head, chunks)
    else if (head !== undefined) keep(copy, bytes, head)
    const parts = copy.done()
    // A copy, which `slice` of a Buffer is not.
    const riff = Uint8Array.from(bytes.subarray(0, 12))
    const size = parts.reduce((sum, part) => sum + part.length, riff.length)
    new DataView(riff.buffer).setUint32(4, size - 8, true)
    return [riff, ...parts]
  })
