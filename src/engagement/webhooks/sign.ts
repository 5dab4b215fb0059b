import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Redacted, Result } from "effect"
import { Base64 } from "effect/encoding"

/** Begins every secret. The rest is base64. */
export const SECRET_PREFIX = "whsec_"

/** A message as it is signed: the id and the text of an event, and the time of an attempt in Unix seconds. */
export interface Message {
  readonly id: string
  readonly timestamp: number
  readonly body: string
}

const keyOf = (secret: Redacted.Redacted): Uint8Array =>
  Result.getOrThrow(Base64.decode(Redacted.value(secret).slice(SECRET_PREFIX.length)))

/** Returns the signature of a message by one secret, as Standard Webhooks 1.0.0 wants it: `v1,<base64>`. */
const signatureOf = ({ body, id, timestamp }: Message, secret: Redacted.Redacted): string =>
  `v1,${Base64.encode(hmac(sha256, keyOf(secret), utf8ToBytes(`${id}.${timestamp}.${body}`)))}`

/** Returns the three headers of Standard Webhooks, with a signature of each secret in this order. */
export const signedHeaders = (message: Message, secrets: ReadonlyArray<Redacted.Redacted>) => ({
  "webhook-id": message.id,
  "webhook-timestamp": String(message.timestamp),
  "webhook-signature": secrets.map((secret) => signatureOf(message, secret)).join(" ")
})
