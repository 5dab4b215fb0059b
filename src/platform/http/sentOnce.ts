import { Stream } from "effect"

const marked = new WeakSet<Uint8Array>()

/**
 * Marks the pieces of a file, which only its answer uses. The server frees each piece once it is sent. Otherwise, with
 * many readers at once, 64 MB of pieces would remain until V8 collects its heap.
 */
export const sentOnce = <E, R>(pieces: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E, R> =>
  Stream.map(pieces, (piece) => {
    marked.add(piece)
    return piece
  })

/** Returns true for a piece that is freed once it is sent. */
export const isSentOnce = (piece: Uint8Array): boolean => marked.has(piece)
