/** The accepted image formats (spec 4.4). The service refuses SVG, PDF, office documents and video. */
export const imageFormats = ["png", "jpeg", "webp", "gif"] as const
export type ImageFormat = (typeof imageFormats)[number]

/** The media type of each format, in uploads and in answers. */
export const mediaTypeOf: Readonly<Record<ImageFormat, string>> = {
  png: "image/png",
  jpeg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif"
}

const MEBIBYTE = 1024 * 1024

/** Bytes of an inline image, at most (spec 8). */
export const INLINE_IMAGE_BYTES_MAX = 5 * MEBIBYTE
/** Bytes of an og, avatar or header image, at most. */
export const TARGET_IMAGE_BYTES_MAX = 2 * MEBIBYTE
/** Bytes of a request beyond those of its file, at most. */
export const REQUEST_OVERHEAD_BYTES_MAX = 512 * 1024

/** Pixels of the canvas of one frame, at most. */
export const FRAME_PIXELS_MAX = 32_000_000
/** Pixels of all frames of one upload, at most. */
export const DECODED_PIXELS_MAX = 128_000_000
/** Distinct pictures among the frames of one upload, at most. */
export const REPRESENTATIONS_MAX = 128

/** Operations of one Profile that are receiving, queued or being checked, at most. */
export const UNFINISHED_OPERATIONS_MAX = 10
/** Staged bytes of one Profile, at most; files that wait for cleanup count. */
export const STAGED_BYTES_MAX = 25 * MEBIBYTE
/** Images and ZIPs that one Profile sends per minute and per day, and their request bytes per day, at most. */
export const TRANSFERS_PER_MINUTE_MAX = 10
export const TRANSFERS_PER_DAY_MAX = 100
export const TRANSFER_BYTES_PER_DAY_MAX = 250 * MEBIBYTE
