import { eddsa, type EdwardsPoint } from "@noble/curves/abstract/edwards.js"
import { ed25519 } from "@noble/curves/ed25519.js"
import { blake2b } from "@noble/hashes/blake2.js"
import { hexToBytes } from "@noble/hashes/utils.js"
import { Option, Redacted } from "effect"
import type { NanoPublicKey } from "../../schemas/Nano.ts"

/** The 32 bytes that an account signs with, before they are hashed and clamped; the seed of RFC 8032. */
export type NanoPrivateKey = Redacted.Redacted<Uint8Array>

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
const ed25519Blake2b = eddsa(ed25519.Point, blake2b, { adjustScalarBytes: clamp, zip215: false })

const attempt = <A>(run: () => A): Option.Option<A> => Option.liftThrowable(run)()

/** The bytes of a public key on the curve. */
export const publicKeyBytes = (privateKey: NanoPrivateKey): Uint8Array =>
  ed25519Blake2b.getPublicKey(Redacted.value(privateKey))

/** The 64 signature bytes over a digest; deterministic, as RFC 8032 is. Dies on a key of other than 32 bytes. */
export const sign = (privateKey: NanoPrivateKey, digest: Uint8Array): Uint8Array =>
  ed25519Blake2b.sign(digest, Redacted.value(privateKey))

/**
 * Whether `signature` is the key's over `digest`. False, never an exception, for anything malformed: bytes of the
 * wrong length, a key or R that is no point or no canonical spelling of one, a key of small order, and an S that
 * is not below the group's order (which a third party could make out of a good signature).
 */
export const verify = (publicKey: Uint8Array, digest: Uint8Array, signature: Uint8Array): boolean =>
  Option.getOrElse(
    attempt(() => ed25519Blake2b.verify(signature, digest, publicKey)),
    () => false
  )

/** {@link verify} for hex: the key as the schemas have it, the signature 128 digits of either case. */
export const verifyHex = (publicKey: NanoPublicKey, digest: Uint8Array, signature: string): boolean =>
  /^[0-9a-fA-F]{128}$/.test(signature) &&
  Option.exists(bytesOf(publicKey), (key) => verify(key, digest, hexToBytes(signature)))

const bytesOf = (publicKey: NanoPublicKey) => attempt(() => hexToBytes(publicKey))

const pointOf = (publicKey: NanoPublicKey, permissive: boolean): Option.Option<EdwardsPoint> =>
  Option.flatMap(bytesOf(publicKey), (bytes) => attempt(() => ed25519.Point.fromBytes(bytes, permissive)))

/**
 * Whether a key is one of the few points whose multiples are but eight, in any spelling, the zero key (the burn
 * account) among them. Nobody can prove to own such a key, and anybody could seem to.
 */
export const isSmallOrder = (publicKey: NanoPublicKey): boolean =>
  Option.exists(pointOf(publicKey, true), (point) => point.isSmallOrder())

/**
 * Whether somebody can hold the private key: a canonical point that is not of small order. About half of all
 * valid addresses are no point, and what is sent to one of them is lost; so refuse these where an address is to
 * sign or to be paid.
 */
export const isUsableKey = (publicKey: NanoPublicKey): boolean =>
  Option.exists(pointOf(publicKey, false), (point) => !point.isSmallOrder())
