import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

/** A comment that was sent from a page without a key. */
interface KeylessText {
  readonly postId: string
  /** The Comment that it answers; null for none. */
  readonly to: string | null
  readonly text: string
  readonly at: Date
}

/** Milliseconds in which the same text is the same press: a minute. */
const SAME_MILLIS = 60_000

/**
 * Returns the Idempotency-Key of a comment from a public page, which is the same for every reader and so has no key. A second
 * press sends the same text within the minute. The service keeps the keys of each author apart.
 */
export const keyOfText = ({ at, postId, text, to }: KeylessText): string => {
  const minute = Math.floor(at.getTime() / SAME_MILLIS)
  const hex = bytesToHex(sha256(utf8ToBytes(JSON.stringify([postId, to, minute, text]))))
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
