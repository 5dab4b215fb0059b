import type { EmailCode } from "../../../schemas/accounts/email-codes/EmailCode.ts"

/** A link of a mail in words. */
export interface MailLink {
  readonly label: string
  /** A URL, or a path of this service. */
  readonly url: string
}

/** The values that fill the template of all mail. */
export interface Letter {
  /** One line of bounded length. The names and titles in it may be the words of a stranger. */
  readonly subject: string
  readonly message: string
  /** The words of a stranger: one line of bounded length. */
  readonly quote?: string
  readonly code?: EmailCode
  /** The page that the mail is about, as a button. */
  readonly action?: MailLink
  /** A note about the life and use of the code. */
  readonly validity?: string
  readonly closing: string
  /** A URL that switches mails of this kind off. */
  readonly unsubscribeUrl?: string
}
