import { Schema } from "effect"

/** Lifetime of a code. */
export const EMAIL_CODE_LIFETIME_SECONDS = 10 * 60
/** Wrong codes that kill the right one, too. */
export const EMAIL_CODE_TRIES_MAX = 5
/** Between two mails to one mailbox, at least. */
export const MAILBOX_COOLDOWN_SECONDS = 60

/** A code out of a mail: exactly six digits (spec 4.1, 8). It is a secret for the ten minutes that it lives. */
export const EmailCode = Schema.String.check(
  Schema.isPattern(/^[0-9]{6}$/u, { expected: "exactly six digits" })
).annotate({ identifier: "EmailCode" })
export type EmailCode = typeof EmailCode.Type
