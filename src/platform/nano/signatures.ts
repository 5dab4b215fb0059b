import type { EdwardsPoint } from "@noble/curves/abstract/edwards.js"
import { ed25519 } from "@noble/curves/ed25519.js"
import { hexToBytes } from "@noble/hashes/utils.js"
import { Option, Redacted } from "effect"
import type { NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import { ed25519Blake2b, verify } from "./ed25519Blake2b.ts"

/** The 32 bytes that an account signs with, before they are hashed and clamped; the seed of RFC 8032. */
export type NanoPrivateKey = Redacted.Redacted<Uint8Array>

const attempt = <A>(run: () => A): Option.Option<A> => Option.liftThrowable(run)()

/** The bytes of a public key on the curve. */
export const publicKeyBytes = (privateKey: NanoPrivateKey): Uint8Array =>
  ed25519Blake2b.getPublicKey(Redacted.value(privateKey))

/** The 64 signature bytes over a digest; deterministic, as RFC 8032 is. Dies on a key of other than 32 bytes. */
export const sign = (privateKey: NanoPrivateKey, digest: Uint8Array): Uint8Array =>
  ed25519Blake2b.sign(digest, Redacted.value(privateKey))

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
