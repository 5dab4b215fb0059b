import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Effect } from "effect"
import { Mac } from "effect/crypto"
import type { KeyedHash } from "../../src/platform/ports/KeyedHash.ts"
import { ServerSecret } from "./ServerSecret.ts"

/** Makes HMAC-SHA-256 under the keys that are derived from the server's secrets for this purpose. */
export const makeKeyedHash = Effect.fnUntraced(function* (purpose: string) {
  const keys = yield* (yield* ServerSecret).keys(purpose)
  const hash = (key: Uint8Array, text: string) => hmac(sha256, key, utf8ToBytes(text))

  const keyed: KeyedHash = {
    hash: (text) => Effect.sync(() => hash(keys[0], text)),
    hashes: (text) => Effect.sync(() => keys.map((key) => hash(key, text))),
    matches: (text, sought) =>
      Effect.sync(() =>
        // Tries every key, so that the time does not tell which one matched.
        keys.reduce((found, key) => Mac.timingSafeEqual(sought, hash(key, text)) || found, false)
      )
  }
  return keyed
})
