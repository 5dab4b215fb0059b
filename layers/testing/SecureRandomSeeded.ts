import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"

/** Xorshift over 32 bits: insecure, without repetition in a test, and with the same bytes for the same seed. */
const generator = (seed: number) => {
  let state = (seed * 2_654_435_761 + 1) >>> 0 || 1
  return (size: number) => {
    const bytes = new Uint8Array(size)
    for (let i = 0; i < size; i++) {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      state >>>= 0
      bytes[i] = state >>> 24
    }
    return bytes
  }
}

/** Ids and secrets that are the same in every run. Assemblies over one database need different seeds. */
export const layer = (seed = 1) =>
  Layer.sync(SecureRandom.SecureRandom, () => SecureRandom.make(generator(seed)))
