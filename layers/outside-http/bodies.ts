import type { Readable } from "node:stream"
import { Effect } from "effect"

/** Returns all bytes of a body, or undefined for one that is longer. */
export const firstBytes = async (body: Readable, maxBytes: number): Promise<Uint8Array | undefined> => {
  const chunks: Array<Buffer> = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Returns the beginning of a body: what has arrived after some bytes, some time, or its end, also an early one. */
export const beginningOf = Effect.fnUntraced(function* (body: Readable, maxBytes: number, millis: number) {
  const chunks: Array<Buffer> = []
  const reading = async () => {
    let length = 0
    for await (const chunk of body) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= maxBytes) return
    }
  }
  yield* Effect.ignore(Effect.timeoutOption(Effect.tryPromise(reading), millis))
  return Uint8Array.from(Buffer.concat(chunks).subarray(0, maxBytes))
})
