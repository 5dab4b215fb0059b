import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Effect, Layer } from "effect"
import { Mac } from "effect/crypto"
import { Pepper } from "../../src/platform/ports/Pepper.ts"
import { ServerSecret } from "./ServerSecret.ts"

/** HMAC-SHA-256 under keys derived from the server's secrets. */
export const layer = Layer.effect(
  Pepper,
  Effect.gen(function* () {
    const keys = yield* (yield* ServerSecret).keys("codes")
    const hash = (key: Uint8Array, text: string) => hmac(sha256, key, utf8ToBytes(text))

    return Pepper.of({
      hash: (text) => Effect.sync(() => hash(keys[0], text)),
      matches: (text, sought) =>
        Effect.sync(() =>
          // Tries every key, so that the time does not tell which one matched.
          keys.reduce((found, key) => Mac.timingSafeEqual(sought, hash(key, text)) || found, false)
        )
    })
  })
)
