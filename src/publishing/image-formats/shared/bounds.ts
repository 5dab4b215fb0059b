/**
 * Maximum number of chunks, segments or blocks of one image. Encoders write a few hundred, and a handful for each
 * frame.
 */
export const PARTS_MAX = 65_536

/** Maximum number of sub-blocks of one GIF. Encoders write 255 bytes in each; 5 MiB in sub-blocks of 20 bytes fit. */
export const GIF_SUB_BLOCKS_MAX = 262_144

/** Maximum number of chunks in one frame of a WebP. Encoders write its transparency and its pixels. */
export const WEBP_FRAME_CHUNKS_MAX = 8

/**
 * Minimum number of pixels that a frame counts as. Spec 8 bounds pixels and distinct pictures, and leaves the number of
 * frames open; but a frame takes time to decode however small it is. Because each counts as 100 × 100 pixels, there are
 * at most 12,800 of the smallest frames. A WebP with that many takes two seconds, because its decoder starts from the first
 * frame for each.
 */
export const FRAME_PIXELS_COUNTED_MIN = 10_000
