import { randomFillSync } from "node:crypto"
import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"

/** Bytes of one draw from the system. */
const POOL_BYTES = 4096

/**
 * The system's randomness, drawn for many ids at once. Every request needs an id, and a draw for each would cost more
 * than the rest of it. Bytes are overwritten after use.
 */
const pooled = () => {
  const pool = new Uint8Array(POOL_BYTES)
  let at = POOL_BYTES
  return (size: number) => {
    if (size > POOL_BYTES) return randomFillSync(new Uint8Array(size))
    if (at + size > POOL_BYTES) {
      randomFillSync(pool)
      at = 0
    }
    const bytes = pool.slice(at, at + size)
    pool.fill(0, at, at + size)
    at += size
    return bytes
  }
}

export const layer = Layer.sync(SecureRandom.SecureRandom, () => SecureRandom.make(pooled()))
