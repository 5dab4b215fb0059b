import { blake2b } from "@noble/hashes/blake2.js"
import { hmac } from "@noble/hashes/hmac.js"
import { sha512 } from "@noble/hashes/sha2.js"
import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { Redacted } from "effect"
import { NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import { publicKeyBytes, type NanoPrivateKey } from "./signatures.ts"

const uint32 = (value: number) => {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}

/**
 * Returns the private key of account `index` (0 to 2^32 - 1) of a 32-byte Nano seed. It is BLAKE2b-256 over the seed
 * and the big-endian index.
 */
export const privateKeyOfSeed = (seed: Redacted.Redacted<Uint8Array>, index: number): NanoPrivateKey =>
  Redacted.make(blake2b(concatBytes(Redacted.value(seed), uint32(index)), { dkLen: 32 }))

const HARDENED = 0x8000_0000

/**
 * Returns the private key of account `index` (0 to 2^31 - 1) of a 64-byte BIP-39 seed. The path is `m/44'/165'/index'`
 * by SLIP-10 for Ed25519, which hardens every step.
 */
export const privateKeyOfBip39Seed = (seed: Redacted.Redacted<Uint8Array>, index: number): NanoPrivateKey => {
  const root = hmac(sha512, utf8ToBytes("ed25519 seed"), Redacted.value(seed))
  const node = [44, 165, index].reduce(
    (parent, step) =>
      hmac(
        sha512,
        parent.subarray(32),
        concatBytes(Uint8Array.of(0), parent.subarray(0, 32), uint32(HARDENED + step))
      ),
    root
  )
  return Redacted.make(node.slice(0, 32))
}

/** Returns the public key of a private key. */
export const publicKeyOf = (privateKey: NanoPrivateKey): NanoPublicKey =>
  NanoPublicKey.make(bytesToHex(publicKeyBytes(privateKey)))
