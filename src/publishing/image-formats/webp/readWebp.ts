import * as Result from "effect/Result"
import { WEBP_FRAME_CHUNKS_MAX } from "../shared/bounds.ts"
import { u24le, u8 } from "../shared/bytes.ts"
import { malformed, type ImageFacts, type ImageRefusal } from "../shared/refusal.ts"
import {
  bitstreamDimensions,
  FRAME_HEAD,
  isBitstream,
  riffChunks,
  webpChunks,
  webpFlags,
  webpTypes,
  type Dimensions,
  type WebpChunk
} from "./webpChunks.ts"

type Reading = Result.Result<ImageFacts, ImageRefusal>

const isSame = (one: Dimensions | undefined, other: Dimensions) =>
  one?.width === other.width && one.height === other.height

/** Finds the one picture among chunks; undefined for none, and for several. */
const onlyPicture = (bytes: Uint8Array, chunks: ReadonlyArray<WebpChunk>): Dimensions | undefined => {
  const [picture, another] = chunks.filter(isBitstream)
  return picture === undefined || another !== undefined ? undefined : bitstreamDimensions(bytes, picture)
}

/** True when a frame lies on the canvas and holds one picture of its size. */
const isFrameSensible = (bytes: Uint8Array, { at, length, end }: WebpChunk, canvas: Dimensions) => {
  if (length < FRAME_HEAD || length % 2 !== 0) return false
  const size = { width: u24le(bytes, at + 6) + 1, height: u24le(bytes, at + 9) + 1 }
  const [x, y] = [u24le(bytes, at) * 2, u24le(bytes, at + 3) * 2]
  if (x + size.width > canvas.width || y + size.height > canvas.height) return false
  const chunks = riffChunks(bytes, at + FRAME_HEAD, end, WEBP_FRAME_CHUNKS_MAX)
  return (
    Result.isSuccess(chunks) &&
    chunks.success.at(-1)?.end === end &&
    isSame(onlyPicture(bytes, chunks.success), size)
  )
}

const readAnimation = (bytes: Uint8Array, chunks: ReadonlyArray<WebpChunk>, canvas: Dimensions): Reading => {
  const place = chunks.findIndex((it) => it.type === webpTypes.animation)
  const firstFrame = chunks.findIndex((it) => it.type === webpTypes.frame)
  const frames = chunks.filter((it) => it.type === webpTypes.frame)
  if (place < 0 || place > firstFrame || (chunks[place]?.length ?? 0) < 6 || chunks.some(isBitstream)) {
    return malformed("The animated WebP has parts that are missing or out of place.")
  }
  if (!frames.every((it) => isFrameSensible(bytes, it, canvas))) {
    return malformed(
      "The animated WebP has a frame outside its canvas, or with other chunks than one picture."
    )
  }
  return Result.succeed({ ...canvas, frames: frames.length })
}

const readExtended = (bytes: Uint8Array, head: WebpChunk, chunks: ReadonlyArray<WebpChunk>): Reading => {
  if (head.length !== 10 || chunks.some((it) => it.type === webpTypes.extended)) {
    return malformed("The WebP has no valid header.")
  }
  const canvas = { width: u24le(bytes, head.at + 4) + 1, height: u24le(bytes, head.at + 7) + 1 }
  if (u8(bytes, head.at) & webpFlags.animation) return readAnimation(bytes, chunks, canvas)
  return isSame(onlyPicture(bytes, chunks), canvas) && !chunks.some((it) => it.type === webpTypes.frame)
    ? Result.succeed({ ...canvas, frames: 1 })
    : malformed("The WebP does not hold the one picture that its header says.")
}

/** Reads the container of a WebP from its first byte to the end that RIFF states. Fails with `malformed` or `out_of_range`. */
export const readWebp = (bytes: Uint8Array): Reading => {
  const chunks = webpChunks(bytes)
  if (Result.isFailure(chunks)) return Result.fail(chunks.failure)
  const [head, ...others] = chunks.success
  if (head === undefined) return malformed("The WebP has no picture.")
  if (head.type === webpTypes.extended) return readExtended(bytes, head, others)
  const picture = isBitstream(head) ? onlyPicture(bytes, chunks.success) : undefined
  return picture === undefined
    ? malformed("The WebP has no picture where it has to be.")
    : Result.succeed({ ...picture, frames: 1 })
}
