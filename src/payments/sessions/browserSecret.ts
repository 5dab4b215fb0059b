import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Redacted } from "effect"
import type { PaymentSessionId, PostId } from "../../../schemas/platform/Ids.ts"
import { base62 } from "../../platform/secrets/base62.ts"
import { type ReceiptToken, receiptTokenOf } from "../receipts/receiptToken.ts"

/**
 * The one secret of a browser without an account. Receipts and tokens of sessions are derived from it, so a browser keeps
 * any number of purchases with one cookie. The hashes that are stored differ for each Post, so they do not tell which
 * purchases are of one browser.
 */
export type BrowserSecret = Redacted.Redacted

const derive = (secret: BrowserSecret, message: string): string =>
  base62(hmac(sha256, utf8ToBytes(Redacted.value(secret)), utf8ToBytes(message)))

/** Returns the receipt of a browser for a Post. All its sessions for the Post share it, and any of them opens the text. */
export const browserReceiptOf = (secret: BrowserSecret, postId: PostId): ReceiptToken =>
  receiptTokenOf(Redacted.make(derive(secret, `browser-receipt/1/${postId}`)))

/** Returns the token of a session that a browser opened. */
export const browserTokenOf = (secret: BrowserSecret, id: PaymentSessionId): Redacted.Redacted =>
  Redacted.make(`pps_${derive(secret, `browser-session/1/${id}`)}`)

/** Returns the key of a browser's session for a Post, by the number of those before it. Two tabs make the same one. */
export const browserKeyOf = (secret: BrowserSecret, postId: PostId, earlier: number): string =>
  derive(secret, `browser-purchase/1/${postId}/${earlier}`)
