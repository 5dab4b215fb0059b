import type { EdwardsPoint } from "@noble/curves/abstract/edwards.js"
import { ed25519 } from "@noble/curves/ed25519.js"
import { hexToBytes } from "@noble/hashes/utils.js"
import { Option, Redacted } from "effect"
import type { NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import { ed25519Blake2b, verify } from "./ed25519Blake2b.ts"

/** The 32 secret bytes of an account before hashing and clamping: the seed of RFC 8032. */
export type NanoPrivateKey = Redacted.Redacted<Uint8Array>

const attempt = <A>(run: () => A): Option.Option<A> => Option.liftThrowable(run)()

/** Returns the public key as bytes. */
export const publicKeyBytes = (privateKey: NanoPrivateKey): Uint8Array =>
  ed25519Blake2b.getPublicKey(Redacted.value(privateKey))

/**
 * Returns the 64 signature bytes over a digest. The signature is deterministic, as in RFC 8032. Dies when the key is
 * not 32 bytes long.
 */
export const sign = (privateKey: NanoPrivateKey, digest: Uint8Array): Uint8Array =>
  ed25519Blake2b.sign(digest, Redacted.value(privateKey))

/**
 * Verifies hex as {@link verify} does bytes. The key is as in the schemas; the signature has 128 digits of either case.
 */
export const verifyHex = (publicKey: NanoPublicKey, digest: Uint8Array, signature: string): boolean =>
  /^[0-9a-fA-F]{128}$/.test(signature) &&
  Option.exists(bytesOf(publicKey), (key) => verify(key, digest, hexToBytes(signature)))

const bytesOf = (publicKey: NanoPublicKey) => attempt(() => hexToBytes(publicKey))

const pointOf = (publicKey: NanoPublicKey, permissive: boolean): Option.Option<EdwardsPoint> =>
  Option.flatMap(bytesOf(publicKey), (bytes) => attempt(() => ed25519.Point.fromBytes(bytes, permissive)))

/**
 * Returns true for a key of small order in any spelling, such as the zero key of the burn account. Ownership of such a
 * key cannot be proved: every signer can appear to own it.
 */
export const isSmallOrder = (publicKey: NanoPublicKey): boolean =>
  Option.exists(pointOf(publicKey, true), (point) => point.isSmallOrder())

/**
 * Returns true when a private key can exist: the key is a canonical point and not of small order. About half of all
 * valid addresses are off the curve, and payments to them are lost. Refuse such a key wherever an address will sign or
 * receive.
 */
export const isUsableKey = (publicKey: NanoPublicKey): boolean =>
  Option.exists(pointOf(publicKey, false), (point) => !point.isSmallOrder())
