import { Effect, type Scope } from "effect"
import type { MemoryFor } from "../ports/ObjectStorage.ts"

/**
 * Makes memory for one user after the other, each until its scope ends. The system takes longer to give memory anew
 * than to copy bytes into it. Threads share this memory, so bytes reach them without a copy. Users at the same time
 * each have memory of their own, so their number must be bounded. A request for more than `bytesKept` gets memory of
 * its own.
 */
export const makeReusedMemory = (
  bytesKept: number
): Effect.Effect<Effect.Effect<MemoryFor, never, Scope.Scope>> =>
  Effect.sync(() => {
    const free: Array<SharedArrayBuffer> = []
    const kept = Effect.acquireRelease(
      Effect.sync(() => free.pop() ?? new SharedArrayBuffer(bytesKept)),
      (buffer) => Effect.sync(() => free.push(buffer))
    )
    return Effect.map(
      kept,
      (buffer) => (bytes) =>
        bytes <= bytesKept ? new Uint8Array(buffer, 0, bytes) : new Uint8Array(new SharedArrayBuffer(bytes))
    )
  })
