import { ByteSize, Effect, Option, type FileSystem } from "effect"
import type { ObjectInfo } from "../../src/platform/ports/ObjectStorage.ts"

/**
 * The file of an object holds its bytes, its media type, and sixteen bytes: the size (8, big-endian), the length of
 * the media type (2), and this mark. One file holds both, so that one rename replaces both. The trailer comes last, so
 * that offsets are those of the object and image viewers open the file.
 */
const MARK = new TextEncoder().encode("pp-o1\n")
const FOOTER_LENGTH = 16
const CONTENT_TYPE_LENGTH = 255

/** Returns the trailer of an object of this size. */
export const trailerOf = (info: ObjectInfo): Uint8Array => {
  const contentType = new TextEncoder().encode(info.contentType)
  const trailer = new Uint8Array(contentType.length + FOOTER_LENGTH)
  trailer.set(contentType)
  const footer = new DataView(trailer.buffer, contentType.length)
  footer.setBigUint64(0, BigInt(info.size))
  footer.setUint16(8, contentType.length)
  trailer.set(MARK, contentType.length + 10)
  return trailer
}

/** Reads the trailer of a file of `fileSize` bytes. None when the file is not a whole object. */
const infoOf = (end: Uint8Array, fileSize: number): Option.Option<ObjectInfo> => {
  if (end.length < FOOTER_LENGTH || !MARK.every((byte, at) => end[end.length - MARK.length + at] === byte)) {
    return Option.none()
  }
  const footer = new DataView(end.buffer, end.byteOffset + end.length - FOOTER_LENGTH)
  const size = Number(footer.getBigUint64(0))
  const length = footer.getUint16(8)
  if (size + length + FOOTER_LENGTH !== fileSize || length + FOOTER_LENGTH > end.length) return Option.none()
  const contentType = new TextDecoder().decode(end.subarray(-FOOTER_LENGTH - length, -FOOTER_LENGTH))
  return Option.some({ size, contentType })
}

/** Reads the facts about an object from its file, in one read. */
export const readInfo = Effect.fnUntraced(function* (file: FileSystem.File) {
  const fileSize = Number(ByteSize.toBigInt((yield* file.stat).size))
  const length = Math.min(fileSize, CONTENT_TYPE_LENGTH + FOOTER_LENGTH)
  if (length === 0) return Option.none<ObjectInfo>()
  const end = yield* Effect.uninterruptible(file.readAlloc(length, { position: BigInt(fileSize - length) }))
  return Option.flatMap(end, (bytes) => infoOf(bytes, fileSize))
})
