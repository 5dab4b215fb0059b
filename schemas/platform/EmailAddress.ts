import { Schema, SchemaTransformation } from "effect"
import { atMost, described, Text } from "./Text.ts"

/** Characters of an e-mail address, at most (specification 8). */
export const EMAIL_ADDRESS_MAX = 320

/**
 * One `@`, and nothing that ends a header, an SMTP command or an address list. RFC 5321 bounds the local part to 64
 * characters and the domain to 255.
 */
const ADDRESS = /^[^\s\p{C}@<>()[\]\\,;:"]{1,64}@[\p{L}\p{N}\p{M}][\p{L}\p{N}\p{M}.-]{0,254}$/u

/** Whether mail can be addressed to this text at all. */
export const isEmailAddress = (text: string): boolean =>
  text.length <= EMAIL_ADDRESS_MAX && ADDRESS.test(text)

/** NFC, and the domain in lower case: two spellings of one mailbox are one text. The local part is the mail server's. */
const normalized = (address: string) => {
  const text = address.trim().normalize("NFC")
  const at = text.lastIndexOf("@")
  return `${text.slice(0, at + 1)}${text.slice(at + 1).toLowerCase()}`
}

/**
 * An e-mail address of at most 320 characters, in the form that addresses are compared in: Unicode NFC, the domain in
 * lower case, the local part as it is given (specification 4.1, 8).
 */
export const EmailAddress = Text.check(
  atMost(EMAIL_ADDRESS_MAX),
  // Not `format: "email"`, which refuses addresses that are not ASCII.
  described({ pattern: String.raw`^\s*[^\s@]{1,64}@[^\s@]{1,255}\s*$` })
).pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: normalized, encode: (address) => address })
  ),
  Schema.check(
    atMost(EMAIL_ADDRESS_MAX),
    Schema.makeFilter(isEmailAddress, {
      expected: "an e-mail address such as ada@example.org",
      toJsonSchema: () => [{}, true]
    })
  ),
  Schema.brand("EmailAddress")
)
export type EmailAddress = typeof EmailAddress.Type
