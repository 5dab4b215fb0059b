import * as Result from "effect/Result"
import { GIF_SUB_BLOCKS_MAX, PARTS_MAX } from "../shared/bounds.ts"
import { isTextAt, u8 } from "../shared/bytes.ts"
import { malformed, tooMany, truncated, type ImageRefusal } from "../shared/refusal.ts"

/** A block of a GIF, from its first byte through the empty sub-block that ends it. */
export interface GifBlock {
  readonly kind: "frame" | "control" | "application" | "other"
  readonly start: number
  readonly end: number
}

/** The blocks of a GIF. The first begins after the header, the screen and its colours. */
export interface GifBlocks {
  readonly begin: number
  readonly blocks: ReadonlyArray<GifBlock>
}

const SCREEN_END = 13
const EXTENSION = 0x21
const FRAME = 0x2c
const TRAILER = 0x3b
const CONTROL_LABEL = 0xf9
const APPLICATION_LABEL = 0xff

/** Returns the bytes of the colour table that a packed field announces. */
const coloursSize = (packed: number) => (packed & 0x80 ? 3 << ((packed & 7) + 1) : 0)

/** Number of sub-blocks that were read, of all blocks. */
interface Count {
  subBlocks: number
}

/** Returns the place after the empty sub-block that ends a chain; after the bytes when there is none. */
const chainEnd = (bytes: Uint8Array, from: number, count: Count): number => {
  let at = from
  for (; at < bytes.length && bytes[at] !== 0; at += 1 + u8(bytes, at)) {
    if (++count.subBlocks > GIF_SUB_BLOCKS_MAX) break
  }
  return at + 1
}

const kindOf = (bytes: Uint8Array, at: number): GifBlock["kind"] => {
  if (bytes[at] === FRAME) return "frame"
  if (bytes[at + 1] === CONTROL_LABEL) return "control"
  return bytes[at + 1] === APPLICATION_LABEL ? "application" : "other"
}

const blockEnd = (bytes: Uint8Array, at: number, count: Count): number =>
  // A frame has ten bytes of place and size, its colours, one byte of coding, and its pixels.
  chainEnd(bytes, bytes[at] === FRAME ? at + 11 + coloursSize(u8(bytes, at + 9)) : at + 2, count)

/**
 * Reads the blocks of a GIF up to its trailer, and ignores what decoders ignore: data after the trailer, and that it is missing
 * after a whole block. Linear in the bytes. Fails with `malformed`, or `out_of_range` for too many.
 */
export const gifBlocks = (bytes: Uint8Array): Result.Result<GifBlocks, ImageRefusal> => {
  if (!isTextAt(bytes, 0, "GIF87a") && !isTextAt(bytes, 0, "GIF89a")) {
    return malformed("The image does not start like a GIF.")
  }
  const blocks: Array<GifBlock> = []
  const count: Count = { subBlocks: 0 }
  const begin = SCREEN_END + coloursSize(u8(bytes, 10))
  for (let start = begin; start < bytes.length;) {
    if (bytes[start] === TRAILER) break
    if (bytes[start] !== FRAME && bytes[start] !== EXTENSION) {
      return malformed("The GIF has data between its blocks.")
    }
    if (blocks.length === PARTS_MAX) return tooMany("GIF", "blocks", PARTS_MAX)
    const end = blockEnd(bytes, start, count)
    if (count.subBlocks > GIF_SUB_BLOCKS_MAX) return tooMany("GIF", "sub-blocks", GIF_SUB_BLOCKS_MAX)
    if (end > bytes.length) return truncated
    const kind = kindOf(bytes, start)
    // Programs disagree about a control of another size.
    if (kind === "control" && (end !== start + 8 || bytes[start + 2] !== 4)) {
      return malformed("The GIF has a graphic control block of a wrong size.")
    }
    blocks.push({ kind, start, end })
    start = end
  }
  return begin > bytes.length ? truncated : Result.succeed({ begin, blocks })
}
