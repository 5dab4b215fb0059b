/** Chunks, segments or blocks of one image, at most. Encoders write a few hundred, and a handful for each frame. */
export const PARTS_MAX = 65_536

/** Sub-blocks of one GIF, at most. Encoders write 255 bytes in each; 5 MiB in sub-blocks of 20 bytes fit. */
export const GIF_SUB_BLOCKS_MAX = 262_144

/** Chunks in one frame of a WebP, at most. Encoders write its transparency and its pixels. */
export const WEBP_FRAME_CHUNKS_MAX = 8

/**
 * Pixels that a frame counts with at least. Spec 8 bounds pixels and distinct pictures, and leaves the number of frames
 * open; but a frame takes time to decode however small it is. As 100 × 100 pixels, the smallest frames are 12,800 at most.
 * A WebP of them takes two seconds: its decoder counts from the first frame for each.
 */
export const FRAME_PIXELS_COUNTED_MIN = 10_000
