import { eddsa } from "@noble/curves/abstract/edwards.js"
import { ed25519 } from "@noble/curves/ed25519.js"
import { blake2b } from "@noble/hashes/blake2.js"

// Nothing else is imported here: threads that only verify load this file and stay small.

/** RFC 8032 5.1.5: a multiple of eight with the highest bit set. */
const clamp = (bytes: Uint8Array) => {
  const clamped = Uint8Array.from(bytes)
  clamped[0] = (clamped[0] ?? 0) & 248
  clamped[31] = ((clamped[31] ?? 0) & 127) | 64
  return clamped
}

/**
 * Ed25519 with BLAKE2b-512 where RFC 8032 has SHA-512, as Nano has it. Strict decoding (`zip215: false`) is what
 * refuses keys of small order: with the permissive one, a fixed signature of such a key fits every message.
 */
export const ed25519Blake2b = eddsa(ed25519.Point, blake2b, { adjustScalarBytes: clamp, zip215: false })

/**
 * Whether `signature` is the key's over `digest`. False, never an exception, for anything malformed: bytes of the
 * wrong length, a key or R that is no point or no canonical spelling of one, a key of small order, and an S that
 * is not below the group's order (which a third party could make out of a good signature). Takes more than a
 * millisecond.
 */
export const verify = (publicKey: Uint8Array, digest: Uint8Array, signature: Uint8Array): boolean => {
  try {
    return ed25519Blake2b.verify(signature, digest, publicKey)
  } catch {
    return false
  }
}
