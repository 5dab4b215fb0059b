import { Schema } from "effect"

/** Lifetime of a code. */
export const EMAIL_CODE_LIFETIME_SECONDS = 10 * 60
/** Number of wrong codes that invalidate the right one. */
export const EMAIL_CODE_TRIES_MAX = 5
/** Minimum time between two mails to one mailbox. */
export const MAILBOX_COOLDOWN_SECONDS = 60

/** A code from a mail: exactly six digits (spec 4.1, 8). It is secret while it is valid, for ten minutes. */
export const EmailCode = Schema.String.check(
  Schema.isPattern(/^[0-9]{6}$/u, { expected: "exactly six digits" })
).annotate({ identifier: "EmailCode" })
export type EmailCode = typeof EmailCode.Type
