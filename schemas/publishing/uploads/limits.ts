/** The formats of images that are accepted (specification 4.4); SVG, PDF, office documents and video are not. */
export const imageFormats = ["png", "jpeg", "webp", "gif"] as const
export type ImageFormat = (typeof imageFormats)[number]

/** The media type that an image of each format is sent and served with. */
export const mediaTypeOf: Readonly<Record<ImageFormat, string>> = {
  png: "image/png",
  jpeg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif"
}

const MEBIBYTE = 1024 * 1024

/** Bytes of an inline image, at most (specification 8). */
export const INLINE_IMAGE_BYTES_MAX = 5 * MEBIBYTE
/** Bytes of an og, avatar or header image, at most. */
export const TARGET_IMAGE_BYTES_MAX = 2 * MEBIBYTE
/** Bytes that a request may have beside those of the file. */
export const REQUEST_OVERHEAD_BYTES_MAX = 512 * 1024

/** Pixels of the canvas of one frame, at most. */
export const FRAME_PIXELS_MAX = 32_000_000
/** Pixels of all frames of one upload, at most. */
export const DECODED_PIXELS_MAX = 128_000_000
/** Distinct pictures among the frames of one upload, at most. */
export const REPRESENTATIONS_MAX = 128

/** Operations of one Profile that are receiving, queued or being checked, at most. */
export const UNFINISHED_OPERATIONS_MAX = 10
/** Bytes of one Profile that are staged, at most; those that wait to be cleaned up count. */
export const STAGED_BYTES_MAX = 25 * MEBIBYTE
/** Images and ZIPs that one Profile sends in a minute, in a day, and the bytes of their requests in a day, at most. */
export const TRANSFERS_PER_MINUTE_MAX = 10
export const TRANSFERS_PER_DAY_MAX = 100
export const TRANSFER_BYTES_PER_DAY_MAX = 250 * MEBIBYTE
