import { Config, DateTime, Effect, Schema, SchemaTransformation } from "effect"
import { isEmailAddress } from "../../schemas/platform/EmailAddress.ts"
import { MailRejected, type Mail, type Mailbox } from "../../src/platform/ports/Mailer.ts"

/** Line ends and other controls would end a header. nodemailer folds them too; this does not rely on it. */
const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim()

const MAILBOX = /^(?:"?([^"<>]*?)"?\s*<([^<>\s]+)>|([^<>\s]+))$/

const Mailbox = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  address: Schema.String.check(Schema.makeFilter(isEmailAddress, { expected: "a mail address" }))
})

/** Reads a mailbox as people write it: `Pennypress <press@example.org>` or the address alone. */
export const MailboxFromString = Schema.String.check(Schema.isPattern(MAILBOX)).pipe(
  Schema.decodeTo(
    Mailbox,
    SchemaTransformation.transform({
      decode: (text) => {
        const [, name = "", named, bare] = MAILBOX.exec(text.trim()) ?? []
        const address = named ?? bare ?? ""
        return name === "" ? { address } : { name, address }
      },
      encode: ({ address, name }) => (name === undefined ? address : `${name} <${address}>`)
    })
  )
)

/** Reads `MAIL_FROM`, the sender of the service's mail. It may have no name. */
export const mailFrom: Config.Config<Mailbox> = Config.schema(MailboxFromString, "MAIL_FROM").pipe(
  Config.withDefault<Mailbox>({ address: "pennypress@localhost" })
)

/** The headers by which a mail program offers to end mails of this kind with one click (RFC 2369, RFC 8058). */
const listHeaders = ({ unsubscribeUrl }: Mail): Readonly<Record<string, string>> =>
  unsubscribeUrl === undefined
    ? {}
    : {
        // A URL has neither spaces nor angle brackets; without them, no value can be taken for several URLs.
        "List-Unsubscribe": `<${unsubscribeUrl.replaceAll(/[\s\p{C}<>]+/gu, "")}>`,
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"
      }

/** Mail to a list is written by a person. Any other mail of the service is not, and wants no automatic answer. */
const kindHeaders = ({ listId }: Mail): Readonly<Record<string, string>> =>
  listId === undefined ? { "Auto-Submitted": "auto-generated" } : { "List-Id": `<${oneLine(listId)}>` }

/** Characters of the address for reports before its `@`: the token of a reader follows, and 64 is the most of RFC 5321. */
export const BOUNCES_LOCAL_MAX = 15

/**
 * Returns the envelope of a mail that names its reader: reports about it go to an address with the token. Other mails have the
 * sender of all mail.
 */
const envelopeOf = ({ bounceToken, to }: Mail, bounces: string | undefined) => {
  if (bounces === undefined || bounceToken === undefined) return {}
  const at = bounces.lastIndexOf("@")
  return {
    envelope: { from: `${bounces.slice(0, at)}+${bounceToken}${bounces.slice(at)}`, to: to.address }
  }
}

/**
 * Returns a mail as nodemailer takes it, with our own time and identity. Addresses are objects: nodemailer once mailed
 * a stranger for a line end in an address that it parsed itself. Fails with `MailRejected` for a malformed address.
 */
export const composeMail = Effect.fnUntraced(function* (from: Mailbox, mail: Mail, bounces?: string) {
  if (!isEmailAddress(mail.to.address)) return yield* new MailRejected({ reason: "address" })
  const domain = from.address.slice(from.address.lastIndexOf("@") + 1)
  return {
    from: { name: oneLine(mail.fromName ?? from.name ?? ""), address: from.address },
    to: { name: oneLine(mail.to.name ?? ""), address: mail.to.address },
    subject: oneLine(mail.subject),
    text: mail.text,
    html: mail.html,
    date: DateTime.toDateUtc(yield* DateTime.now),
    messageId: `<${mail.id}@${domain}>`,
    ...envelopeOf(mail, bounces),
    headers: { ...kindHeaders(mail), ...listHeaders(mail) },
    disableFileAccess: true,
    disableUrlAccess: true
  }
})
