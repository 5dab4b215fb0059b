import { type ImageFormat, imageFormats, mediaTypeOf } from "../../../../schemas/publishing/uploads/limits.ts"
import type { ImageRefusal } from "../../image-formats/shared/refusal.ts"
import { sniffMismatch } from "../../image-formats/sniff.ts"

/** Media types of parts that say nothing of the file: it is the image that its bytes are. */
const SILENT_TYPES: ReadonlySet<string> = new Set(["", "application/octet-stream"])

/** Other names of the four media types. */
const aliases: Readonly<Record<string, string>> = { "image/jpg": "image/jpeg" }

const nameOf: Readonly<Record<ImageFormat, string>> = { png: "PNG", jpeg: "JPEG", webp: "WebP", gif: "GIF" }

/** Returns the format that a file may be of by its first bytes. Twelve bytes decide. */
const formatOf = (firstBytes: Uint8Array) =>
  imageFormats.find((format) => sniffMismatch(firstBytes, mediaTypeOf[format]) === undefined)

/** Media types that an error may repeat. */
const SHOWN_TYPE = /^[\w!#$&^.+-]{1,40}\/[\w!#$&^.+-]{1,40}$/

/** Repeats what a part says of its type, for a sentence about it. */
export const saidType = (mediaType: string): string =>
  SHOWN_TYPE.test(mediaType) ? `says ${mediaType}` : "has no media type"

/** Returns the media type of a part, or that of its bytes when the part says nothing. */
export const sentTypeOf = (mediaType: string, firstBytes: Uint8Array): string => {
  if (!SILENT_TYPES.has(mediaType)) return aliases[mediaType] ?? mediaType
  const format = formatOf(firstBytes)
  return format === undefined ? mediaType : mediaTypeOf[format]
}

/**
 * Returns the refusal of a file by its media type and first bytes, before the rest is received (spec 4.4). The message
 * names both.
 */
export const typeRefusal = (mediaType: string, firstBytes: Uint8Array): ImageRefusal | undefined => {
  const refusal = sniffMismatch(firstBytes, sentTypeOf(mediaType, firstBytes))
  if (refusal === undefined) return undefined
  const said = saidType(mediaType)
  const format = formatOf(firstBytes)
  return format === undefined
    ? {
        code: "unsupported_type",
        message: `The part ${said}, and its bytes are none of PNG, JPEG, WebP and GIF. Send one of these.`
      }
    : {
        code: refusal.code,
        message: `The part ${said}, and its bytes are ${nameOf[format]}. Send it as ${mediaTypeOf[format]}.`
      }
}
