import { Schema } from "effect"
import { limits } from "../../platform/rate-limits/limits.ts"

/** Lifetime of a code. */
export const EMAIL_CODE_LIFETIME_SECONDS = 10 * 60
/** Number of wrong codes that invalidate the right one. */
export const EMAIL_CODE_TRIES_MAX = 5
/** Minimum time between two mails to one mailbox. */
export const MAILBOX_COOLDOWN_SECONDS = 60

/** The limits of mails with codes, as operations that send one describe them. */
export const CODE_MAIL_LIMITS = `A mailbox gets at most one mail with a code a minute. An address causes at most ${limits["code-mails-hour"].limit} an hour and ${limits["code-mails-day"].limit} a day. A 429 says when the next may be sent.`

/** The same for mails to mailboxes that may belong to strangers. */
export const STRANGERS_MAIL_LIMITS = `${CODE_MAIL_LIMITS} The service sends at most ${limits["code-mails-all"].limit} mails an hour for all registrations and address changes together.`

/** A code from a mail: exactly six digits (spec 4.1, 8). It is secret while it is valid, for ten minutes. */
export const EmailCode = Schema.String.check(
  Schema.isPattern(/^[0-9]{6}$/u, { expected: "exactly six digits" })
).annotate({ identifier: "EmailCode" })
export type EmailCode = typeof EmailCode.Type
