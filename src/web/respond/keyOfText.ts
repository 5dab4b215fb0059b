import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

/** A comment that was sent from a page without a key. */
interface KeylessText {
  readonly postId: string
  /** The Comment that it answers; null for none. */
  readonly to: string | null
  readonly text: string
  /** The last Comment that its author had sent before; null for none. */
  readonly last: string | null
}

/**
 * Returns the Idempotency-Key of a comment from a public page, which is the same for every reader and so has no key. Two
 * presses at the same time have the same key, and a text that is sent again later has another one. The service keeps the keys of
 * each author apart.
 */
export const keyOfText = ({ last, postId, text, to }: KeylessText): string => {
  const hex = bytesToHex(sha256(utf8ToBytes(JSON.stringify([postId, to, last, text]))))
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
