import { Effect } from "effect"

/**
 * Bytes of one write, which most images fit. Each write costs the way to a thread and back. A longer one costs more than
 * it saves, because the system stores it in larger pieces of its cache, which it has to make anew.
 */
export const BLOCK_BYTES = 512 * 1024

/** Bytes of one write while more than `BLOCKS_MAX` files are written. */
export const SMALL_BLOCK_BYTES = 128 * 1024

/** Number of blocks that stay for later files. The system takes longer to give memory anew than to copy bytes into it. */
export const BLOCKS_MAX = 8

type Block = Uint8Array<ArrayBuffer>

/** Makes blocks of memory, which one file has after the other, each until its scope ends. */
export const makeBlocks = Effect.sync(() => {
  const free: Array<Block> = []
  let made = 0
  const take = () => {
    const block = free.pop()
    if (block !== undefined) return block
    if (made === BLOCKS_MAX) return new Uint8Array(SMALL_BLOCK_BYTES)
    made++
    return new Uint8Array(BLOCK_BYTES)
  }
  const giveBack = (block: Block) => {
    if (block.length === BLOCK_BYTES) free.push(block)
    // V8 would keep it until it collects the whole heap.
    else block.buffer.transfer(0)
  }
  return Effect.acquireRelease(Effect.sync(take), (block) => Effect.sync(() => giveBack(block)))
})

/** Joins pieces in a block, and writes it whenever it is full. Keeps no piece. */
export const makeBlockWriter = <E>(
  block: Uint8Array,
  write: (bytes: Uint8Array) => Effect.Effect<void, E>
) => {
  let length = 0
  const flush = Effect.suspend(() => {
    const full = block.subarray(0, length)
    length = 0
    return full.length === 0 ? Effect.void : write(full)
  })
  /** Copies a piece, and writes every block that it fills. */
  const add = (piece: Uint8Array): Effect.Effect<void, E> => {
    const part = piece.subarray(0, block.length - length)
    block.set(part, length)
    length += part.length
    if (length < block.length) return Effect.void
    return Effect.flatMap(flush, () => add(piece.subarray(part.length)))
  }
  return { add, flush }
}
