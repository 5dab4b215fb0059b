import type { Effect } from "effect"

/** HMAC-SHA-256 of texts under a key that only the server has. Each port of this type has a key of its own. */
export interface KeyedHash {
  /** Returns 32 bytes, under the current key. */
  readonly hash: (text: string) => Effect.Effect<Uint8Array>
  /** Returns the hash under the current key, and then those under former keys. */
  readonly hashes: (text: string) => Effect.Effect<ReadonlyArray<Uint8Array>>
  /** Returns true if the hash belongs to this text, under the current key or a former one. Takes constant time. */
  readonly matches: (text: string, hash: Uint8Array) => Effect.Effect<boolean>
}
