import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"

/** Sorts members by name, so that two spellings of one intent give one text. */
const canonical = (_key: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value

/** Returns the SHA-256 of a request's intent: equal for a repeat, different for a changed intent. */
export const fingerprintOf = (intent: unknown): Uint8Array =>
  sha256(utf8ToBytes(JSON.stringify(intent, canonical)))
