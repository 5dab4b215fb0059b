import { Effect } from "effect"
import { Digest } from "effect/crypto"

const utf8 = new TextEncoder()

/** Sorts members by name. */
const canonical = (_key: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value

/** Returns the JSON of a value with its members sorted by name: two spellings of one intent give one text. */
export const canonicalJson = (value: unknown): string => JSON.stringify(value, canonical)

/** Returns true when two requests have the same intent. */
export const isSameFingerprint = (one: Uint8Array, other: Uint8Array): boolean =>
  one.every((byte, index) => byte === other[index])

/** Returns the SHA-256 of a request's intent: equal for a repeat, different for a changed intent. */
export type FingerprintOf = (intent: unknown) => Effect.Effect<Uint8Array>

export const makeFingerprintOf: Effect.Effect<FingerprintOf, never, Digest.Digest> = Effect.map(
  Digest.Digest,
  (digests) => (intent) => digests.digest(Digest.sha256, utf8.encode(canonicalJson(intent)))
)
