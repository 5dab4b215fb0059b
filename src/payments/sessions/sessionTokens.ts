import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Redacted } from "effect"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { base62 } from "../../platform/secrets/base62.ts"

/** The name of a creation: one for each owner and key, and one for each anonymous key. */
const named = (buyer: OwnerId | null, key: string) => `payment-session/1/${buyer ?? "anonymous"}/${key}`

/** SHA-256 of the name of a creation. The key itself is a secret, and is not stored. */
export const keyHashOf = (buyer: OwnerId | null, key: string): Uint8Array =>
  sha256(utf8ToBytes(named(buyer, key)))

/**
 * Returns the token of a session: `pps_` and 43 base62 digits of an HMAC-SHA-256 under the Idempotency-Key. It is
 * derived, so that a repeat of the creation shows it again although only its hash is stored.
 */
export const sessionTokenOf = (buyer: OwnerId | null, key: string): Redacted.Redacted =>
  Redacted.make(`pps_${base62(hmac(sha256, utf8ToBytes(key), utf8ToBytes(`${named(buyer, key)}/token`)))}`)
