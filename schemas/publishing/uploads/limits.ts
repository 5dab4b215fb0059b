/** The accepted image formats (spec 4.4). The service refuses SVG, PDF, office documents and video. */
export const imageFormats = ["png", "jpeg", "webp", "gif"] as const
export type ImageFormat = (typeof imageFormats)[number]

/** The formats of files that are uploaded: images, and ZIP attachments. */
export const fileFormats = [...imageFormats, "zip"] as const
export type FileFormat = (typeof fileFormats)[number]

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

/**
 * Widths of the smaller copies of still images that pages show, in pixels, ascending. The files of an earlier list are not
 * removed with their images, so a list grows and never shrinks.
 */
export const VARIANT_WIDTHS = [320, 640, 1280] as const
/** The width of the copy of an avatar that stands before a name. Other images have none of this width. */
export const FACE_WIDTH = 96
/** Bytes of one smaller copy, at most: a larger one would hardly spare readers anything. */
export const VARIANT_BYTES_MAX = MEBIBYTE

/** Bytes of a ZIP attachment, at most. */
export const ARCHIVE_BYTES_MAX = 25 * MEBIBYTE
/** ZIP attachments of one Post, and their bytes, at most. */
export const POST_ATTACHMENTS_MAX = 5
export const POST_ATTACHMENTS_BYTES_MAX = 100 * MEBIBYTE
/** Characters of the name of a ZIP attachment, at most. */
export const ATTACHMENT_NAME_LENGTH_MAX = 200
/** ZIP attachments of one Profile that are receiving, queued or being checked, and their staged bytes, at most. */
export const UNFINISHED_ATTACHMENTS_MAX = 3
export const STAGED_ATTACHMENT_BYTES_MAX = 75 * MEBIBYTE
/** Bytes of all files of a ZIP together once they are unpacked, at most. */
export const UNPACKED_BYTES_MAX = 100 * MEBIBYTE
/** Unpacked bytes up to which any compression is accepted. */
export const UNPACKED_BYTES_FREE = 20 * MEBIBYTE
/** Unpacked bytes for each compressed one beyond {@link UNPACKED_BYTES_FREE}, at most. */
export const COMPRESSION_RATIO_MAX = 250
/** Files in a ZIP, and directories, at most. Directories that stand in names alone count (spec 4.8). */
export const ARCHIVE_FILES_MAX = 128
export const ARCHIVE_DIRECTORIES_MAX = 128
/** Records of a ZIP, for files and directories, at most. */
export const ARCHIVE_RECORDS_MAX = 300
/** Bytes of the name of an entry, with its directories, and the number of its parts, at most. */
export const ENTRY_NAME_BYTES_MAX = 255
export const ENTRY_DEPTH_MAX = 32

/** Operations of one Profile that are receiving, queued or being checked, at most. */
export const UNFINISHED_OPERATIONS_MAX = 10
/** Staged bytes of one Profile, at most; files that wait for cleanup count. */
export const STAGED_BYTES_MAX = 25 * MEBIBYTE
/** Unfinished operations of one Profile, and their staged bytes, up to which an import adds pictures. */
export const IMPORTED_OPERATIONS_MAX = 4
export const IMPORTED_BYTES_MAX = 10 * MEBIBYTE
/** Unfinished ZIP attachments of one Profile, up to which an import adds one. */
export const IMPORTED_ATTACHMENTS_MAX = 1
/** Images and ZIPs that one Profile sends per minute and per day, and their request bytes per day, at most. */
export const TRANSFERS_PER_MINUTE_MAX = 10
export const TRANSFERS_PER_DAY_MAX = 100
export const TRANSFER_BYTES_PER_DAY_MAX = 250 * MEBIBYTE
