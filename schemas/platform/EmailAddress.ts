import { Schema, SchemaTransformation } from "effect"
import { atMost, described, Text } from "./Text.ts"

/** Maximum number of characters of an e-mail address (spec 8). */
export const EMAIL_ADDRESS_MAX = 320
const LOCAL_MAX = 64
const DOMAIN_MAX = 255

// The rule is that of HTML's `<input type=email>`, which the WHATWG maintains and every browser's form checks, over the
// domain in its ASCII form (IDNA, UTS #46, as the URL parser of the runtime maintains it). Two refinements of HTML:
// RFC 5321 has no dot at an end of the local part nor two in a row, and RFC 6531 has letters beyond ASCII.
const ATOM = String.raw`(?:[a-zA-Z0-9!#$%&'*+/=?^_\x60{|}~-]|[^\x00-\x7F\s\p{C}\p{Z}])+`
const LOCAL = new RegExp(String.raw`^${ATOM}(?:\.${ATOM})*$`, "u")
const DOMAIN = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/
/** A number alone is an IP address to the URL parser. */
const NUMERIC_END = /(?:^|\.)[0-9]+$/
/** Keeps the other parts of a URL out of the URL parser. */
const TYPED_DOMAIN = /^[\p{L}\p{N}\p{M}.-]+$/u

/** Splits an address; the domain is without the dot that may end it. */
const parts = (text: string) => {
  const at = text.lastIndexOf("@")
  return { local: text.slice(0, Math.max(at, 0)), domain: text.slice(at + 1).replace(/\.$/, "") }
}

/** Returns the ASCII form of a domain, or undefined for a text that names none. */
const asciiDomain = (domain: string): string | undefined => {
  if (domain.length > DOMAIN_MAX || !TYPED_DOMAIN.test(domain)) return undefined
  const ascii = URL.parse(`http://${domain}`)?.hostname ?? ""
  const isDomain = ascii.length <= DOMAIN_MAX && DOMAIN.test(ascii) && !NUMERIC_END.test(ascii)
  return isDomain ? ascii : undefined
}

/** Returns true if mail can be addressed to the text. */
export const isEmailAddress = (text: string): boolean => {
  const { domain, local } = parts(text)
  return (
    text.length <= EMAIL_ADDRESS_MAX &&
    local.length <= LOCAL_MAX &&
    LOCAL.test(local) &&
    asciiDomain(domain) !== undefined
  )
}

/** Returns the address as it was typed, in NFC; a domain is written in the one way that readers know it. */
const normalized = (address: string) => {
  const text = address.trim().normalize("NFC")
  const { domain, local } = parts(text)
  const ascii = asciiDomain(domain)
  if (ascii === undefined) return text
  const isInternational = ascii.split(".").some((label) => label.startsWith("xn--"))
  const shown = isInternational ? domain.normalize("NFKC").toLowerCase().normalize("NFC") : ascii
  return `${local}@${shown}`
}

/**
 * An e-mail address of an account, as its owner typed it. Answers and stored addresses are not checked again, because
 * the rules for new addresses may have become stricter since they were accepted.
 */
export const EmailAddress = Schema.String.check(atMost(EMAIL_ADDRESS_MAX)).pipe(Schema.brand("EmailAddress"))
export type EmailAddress = typeof EmailAddress.Type

/** Returns false for a domain of one word, such as `ada@gmail`: it is a typing error, except on this machine. */
const isReachable = (text: string) => /\.|^localhost$/.test(parts(text).domain)

/** An e-mail address that a caller sends: at most 320 characters (spec 4.1, 8). It keeps the case of its local part. */
export const EmailAddressInput = Text.check(
  atMost(EMAIL_ADDRESS_MAX),
  // Not `format: "email"`, which refuses addresses that are not ASCII.
  described({ pattern: String.raw`^\s*[^\s@]{1,64}@[^\s@]{1,255}\s*$` })
).pipe(
  Schema.decodeTo(
    EmailAddress.check(
      Schema.makeFilter<string>((text) => isEmailAddress(text) && isReachable(text), {
        expected: "an e-mail address such as ada@example.org",
        toJsonSchema: () => [{}, true]
      })
    ),
    SchemaTransformation.transform({ decode: normalized, encode: (address) => address })
  )
)

/** The identity of a mailbox: two spellings of one address have the same. Mail goes to an address, never to this text. */
export const Mailbox = Schema.String.pipe(Schema.brand("Mailbox"))
export type Mailbox = typeof Mailbox.Type

/**
 * Returns the mailbox of an address: the local part in lower case, the domain in ASCII by IDNA and without a dot at its
 * end. Accounts and limits compare mailboxes, so an address that a phone capitalized can sign in, and no spelling
 * evades a limit.
 */
export const mailboxOf = (address: EmailAddress): Mailbox => {
  const { domain, local } = parts(address)
  return Mailbox.make(
    `${local.normalize("NFC").toLowerCase().normalize("NFC")}@${asciiDomain(domain) ?? domain.toLowerCase()}`
  )
}
