import { Stream } from "effect"

const marked = new WeakSet<Uint8Array>()

/**
 * Marks the pieces of a file, which its answer alone uses. The server frees each once it is sent. Many readers at once
 * would else leave 64 MB of them, until V8 collects its heap.
 */
export const sentOnce = <E, R>(pieces: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E, R> =>
  Stream.map(pieces, (piece) => {
    marked.add(piece)
    return piece
  })

/** Returns true for a piece that is freed once it is sent. */
export const isSentOnce = (piece: Uint8Array): boolean => marked.has(piece)
