import { eddsa } from "@noble/curves/abstract/edwards.js"
import { ed25519 } from "@noble/curves/ed25519.js"
import { blake2b } from "@noble/hashes/blake2.js"

// Import nothing else here: threads that only verify load this file and stay small.

/** RFC 8032 5.1.5: a multiple of eight with the highest bit set. */
const clamp = (bytes: Uint8Array) => {
  const clamped = Uint8Array.from(bytes)
  clamped[0] = (clamped[0] ?? 0) & 248
  clamped[31] = ((clamped[31] ?? 0) & 127) | 64
  return clamped
}

/**
 * Ed25519 with BLAKE2b-512 instead of SHA-512, as Nano uses it. Strict decoding (`zip215: false`) refuses keys of small
 * order. Permissive decoding would let one fixed signature of such a key fit every message.
 */
export const ed25519Blake2b = eddsa(ed25519.Point, blake2b, { adjustScalarBytes: clamp, zip215: false })

/**
 * Returns true when `signature` is the key's signature over `digest`. Returns false, without an exception, for
 * malformed input:
 * - bytes of the wrong length,
 * - a key or R that is off the curve or not in canonical form,
 * - a key of small order,
 * - an S at or above the group's order, which a third party could derive from a valid signature.
 *
 * Takes more than a millisecond.
 */
export const verify = (publicKey: Uint8Array, digest: Uint8Array, signature: Uint8Array): boolean => {
  try {
    return ed25519Blake2b.verify(signature, digest, publicKey)
  } catch {
    return false
  }
}
