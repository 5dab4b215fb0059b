import { imageFormats, mediaTypeOf, type ImageFormat } from "../../../schemas/publishing/uploads/limits.ts"
import type { ImageRefusal } from "./shared/refusal.ts"

/** The first bytes of each format. A null stands for any byte. */
const signatures: Readonly<Record<ImageFormat, ReadonlyArray<ReadonlyArray<number | null>>>> = {
  png: [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  jpeg: [[0xff, 0xd8, 0xff]],
  webp: [[0x52, 0x49, 0x46, 0x46, null, null, null, null, 0x57, 0x45, 0x42, 0x50]],
  gif: [
    [0x47, 0x49, 0x46, 0x38, 0x37, 0x61],
    [0x47, 0x49, 0x46, 0x38, 0x39, 0x61]
  ]
}

/** True when the bytes, as far as they go, may begin an image of the format. */
const mayBe = (firstBytes: Uint8Array, format: ImageFormat) =>
  signatures[format].some((signature) =>
    signature.every((it, at) => it === null || at >= firstBytes.length || it === firstBytes[at])
  )

/** Returns the format that a media type names, ignoring case and parameters. */
export const formatOfMediaType = (mediaType: string): ImageFormat | undefined => {
  const bare = mediaType.split(";", 1)[0]?.trim().toLowerCase()
  return imageFormats.find((format) => mediaTypeOf[format] === bare)
}

/** Returns the format that the first bytes of an image have. Twelve bytes decide. */
export const formatOfBytes = (firstBytes: Uint8Array): ImageFormat | undefined =>
  imageFormats.find((format) => mayBe(firstBytes, format))

const unsupported: ImageRefusal = {
  code: "unsupported_type",
  message: "Only PNG, JPEG, WebP and GIF images are supported."
}

const mismatch: ImageRefusal = {
  code: "mismatch",
  message: "The image has a different format than its media type says."
}

/**
 * Refuses an image by its first bytes, before the rest is received. Returns undefined when the bytes, as far as they go,
 * agree with the media type. Twelve bytes decide.
 */
export const sniffMismatch = (firstBytes: Uint8Array, mediaType: string): ImageRefusal | undefined => {
  const declared = formatOfMediaType(mediaType)
  if (declared === undefined) return unsupported
  if (mayBe(firstBytes, declared)) return undefined
  return imageFormats.some((format) => mayBe(firstBytes, format)) ? mismatch : unsupported
}
