import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Redacted } from "effect"
import { base62 } from "../../platform/secrets/base62.ts"
import { hashOf } from "../../platform/secrets/Secrets.ts"

/** A receipt, `ppr_<22>_<43>`, and its SHA-256, which alone is stored. */
export interface ReceiptToken {
  readonly token: Redacted.Redacted
  readonly tokenHash: Uint8Array
}

/** Bytes of the part that names a receipt. */
const NAME_BYTES = 16

/**
 * Returns the receipt of a caller who already holds a secret: a quote, the token of a payment session, or a gift with
 * its Idempotency-Key. It is derived from that secret alone, so a repeated request gets the same receipt, with any key
 * the server has by then, and the settlement can save its hash before there is a purchase.
 */
export const receiptTokenOf = (secret: Redacted.Redacted): ReceiptToken => {
  const key = utf8ToBytes(Redacted.value(secret))
  const derive = (message: string) => hmac(sha256, key, utf8ToBytes(message))
  const name = base62(derive("receipt-name/1").slice(0, NAME_BYTES))
  const token = Redacted.make(`ppr_${name}_${base62(derive(`receipt/1 ${name}`))}`)
  return { token, tokenHash: hashOf(token) }
}
