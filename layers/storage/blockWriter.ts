import { Effect } from "effect"

/** Bytes of one write, which most images fit. Each write costs the way to a thread and back. */
export const BLOCK_BYTES = 256 * 1024

/** Joins pieces into blocks, which `write` gets one after the other. It does not keep them. Frees its memory with the scope. */
export const makeBlockWriter = Effect.fnUntraced(function* <E>(
  write: (block: Uint8Array) => Effect.Effect<void, E>
) {
  const block = yield* Effect.acquireRelease(
    Effect.sync(() => Buffer.allocUnsafeSlow(BLOCK_BYTES)),
    // V8 would keep it until it collects the whole heap.
    ({ buffer }) => Effect.sync(() => buffer.transfer(0))
  )
  let length = 0
  const flush = Effect.suspend(() => {
    const full = block.subarray(0, length)
    length = 0
    return full.length === 0 ? Effect.void : write(full)
  })
  /** Copies a piece, and writes every block that it fills. */
  const add = (piece: Uint8Array): Effect.Effect<void, E> => {
    const part = piece.subarray(0, BLOCK_BYTES - length)
    block.set(part, length)
    length += part.length
    if (length < BLOCK_BYTES) return Effect.void
    return Effect.flatMap(flush, () => add(piece.subarray(part.length)))
  }
  return { add, flush }
})
