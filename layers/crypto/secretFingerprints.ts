import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Effect } from "effect"
import { ServerSecret } from "./ServerSecret.ts"

/**
 * Makes a function that hashes a text under each of the server's secrets, the current one first. Processes recognize their
 * secrets by the hashes of a random text, and learn nothing else about them.
 */
export const makeSecretFingerprints = Effect.gen(function* () {
  const keys = yield* (yield* ServerSecret).keys("process fingerprint")
  return (text: string): ReadonlyArray<string> =>
    keys.map((key) => bytesToHex(hmac(sha256, key, utf8ToBytes(text))))
})
