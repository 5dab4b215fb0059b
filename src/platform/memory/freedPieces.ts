import { Stream } from "effect"
import { freeBytes } from "./freeBytes.ts"

/** Frees pieces of a stream as soon as the next ones are asked for. Its reader must not keep them. */
export const freedPieces = <E, R>(pieces: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E, R> =>
  Stream.suspend(() => {
    let before: ReadonlyArray<Uint8Array> = []
    return Stream.mapArray(pieces, (arrived) => {
      before.forEach(freeBytes)
      before = arrived
      return arrived
    })
  })
