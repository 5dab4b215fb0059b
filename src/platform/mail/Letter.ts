import { Schema } from "effect"
import { EmailCode } from "../../../schemas/accounts/email-codes/EmailCode.ts"

/** A link of a mail in words. Its URL may be a path of this service. */
const MailLink = Schema.Struct({ label: Schema.String, url: Schema.String })
export type MailLink = typeof MailLink.Type

/** The values that fill the template of all mail. The wing that sends a mail writes its letter. */
export const Letter = Schema.Struct({
  /** One line of bounded length. The names and titles in it may be the words of a stranger. */
  subject: Schema.String,
  message: Schema.String,
  /** Sentences below the message, each a line of bounded length. */
  lines: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The words of a stranger: one line of bounded length. */
  quote: Schema.optionalKey(Schema.String),
  code: Schema.optionalKey(EmailCode),
  /** The page that the mail is about, as a button. */
  action: Schema.optionalKey(MailLink),
  /** A sentence below the button: about the life of the code, or how to object. */
  note: Schema.optionalKey(Schema.String),
  closing: Schema.String,
  /** For a mail that its reader may switch off: the URL that does so, and the page on which an owner chooses mails. */
  choices: Schema.optionalKey(
    Schema.Struct({ unsubscribeUrl: Schema.String, settingsPath: Schema.optionalKey(Schema.String) })
  )
})
export type Letter = typeof Letter.Type

/**
 * The mail that a mailbox gets, by whether it has an owner; null for no mail. The service looks the owner up only when the mail
 * leaves, so a request takes the same time for every mailbox (spec 4.1).
 */
export const Letters = Schema.Struct({
  /** Names the kind of mail in metrics and logs. */
  kind: Schema.String,
  toOwner: Letter,
  toStranger: Schema.NullOr(Letter),
  /** True if the owner's letter is for them alone. It then goes to the address as the account spells it. */
  isForAccount: Schema.optionalKey(Schema.Boolean),
  /** True for a mail that goes to no one. Its row is there, so that a request takes the same time with a mail and without. */
  isUnsent: Schema.optionalKey(Schema.Boolean)
})
export type Letters = typeof Letters.Type

/** Returns the letters of a mail that says the same to everyone. */
export const sameLetter = (kind: string, letter: Letter): Letters => ({
  kind,
  toOwner: letter,
  toStranger: letter
})
