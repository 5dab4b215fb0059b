import { blake2b } from "@noble/hashes/blake2.js"
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { publicKeyOfAddress, type NanoAddress, type SignatureFormat } from "../../../schemas/platform/Nano.ts"
import { verifyHex } from "./signatures.ts"

/** Byte 0x18 is the length of the text after it, so blocks and other texts cannot begin like this. */
const NOMS_PREFIX = utf8ToBytes("\u0018Nano Off-chain Message:\n")

/**
 * Returns the 32-byte digest of a Nano off-chain message (ORIS-001). It is BLAKE2b-256 over three parts: the prefix,
 * the message's UTF-8 length as four big-endian bytes, and the message.
 */
export const nomsDigest = (message: string): Uint8Array => {
  const bytes = utf8ToBytes(message)
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, bytes.length)
  return blake2b(concatBytes(NOMS_PREFIX, length, bytes), { dkLen: 32 })
}

/** Returns the plain BLAKE2b-256 of a message's UTF-8 bytes, which several wallets sign today. */
export const blake2bDigest = (message: string): Uint8Array => blake2b(utf8ToBytes(message), { dkLen: 32 })

/** Returns the digest that a signature of this format covers. */
export const messageDigest = (format: SignatureFormat, message: string): Uint8Array =>
  format === "noms" ? nomsDigest(message) : blake2bDigest(message)

/**
 * Returns true when `signature` (128 hex digits) is the account's signature over the message. Pass the stored message,
 * not one from the caller. Never throws.
 */
export const verifyMessage = (claim: {
  readonly account: NanoAddress
  readonly message: string
  readonly format: SignatureFormat
  readonly signature: string
}): boolean =>
  verifyHex(publicKeyOfAddress(claim.account), messageDigest(claim.format, claim.message), claim.signature)
