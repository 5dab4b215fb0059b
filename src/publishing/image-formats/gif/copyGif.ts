import * as Result from "effect/Result"
import { copyOf, isTextAt, u8 } from "../shared/bytes.ts"
import type { ImageRefusal } from "../shared/refusal.ts"
import { gifBlocks, type GifBlock } from "./gifBlocks.ts"

const APPLICATION_BYTES = 11
const TRAILER = 0x3b
const PLAIN_TEXT_LABEL = 0x01

/** Finds the repetitions of a looping extension: a sub-block of 1 and 16 bits after its name. */
const loopAt = (bytes: Uint8Array, { start, end }: GifBlock): number | undefined => {
  const isLooping =
    bytes[start + 2] === APPLICATION_BYTES &&
    (isTextAt(bytes, start + 3, "NETSCAPE2.0") || isTextAt(bytes, start + 3, "ANIMEXTS1.0"))
  const at = start + 3 + APPLICATION_BYTES
  return isLooping && at + 5 <= end && bytes[at] === 3 && (u8(bytes, at + 1) & 7) === 1 ? at : undefined
}

/** Copies a GIF without the blocks that do not change how it looks. */
export const copyGif = (bytes: Uint8Array): Result.Result<ReadonlyArray<Uint8Array>, ImageRefusal> =>
  Result.map(gifBlocks(bytes), ({ begin, blocks }) => {
    const copy = copyOf(bytes)
    copy.keep(0, begin)
    // A control belongs to the picture or text after it, and is kept or dropped with it.
    let controls: Array<GifBlock> = []
    for (const block of blocks) {
      const loop = block.kind === "application" ? loopAt(bytes, block) : undefined
      if (loop !== undefined) {
        copy.keep(block.start, loop + 4)
        copy.put(Uint8Array.of(0))
      } else if (block.kind === "control") controls.push(block)
      else if (block.kind === "frame") {
        for (const control of controls) copy.keep(control.start, control.end)
        copy.keep(block.start, block.end)
        controls = []
      } else if (bytes[block.start + 1] === PLAIN_TEXT_LABEL) controls = []
    }
    copy.put(Uint8Array.of(TRAILER))
    return copy.done()
  })
