import { Schema } from "effect"
import { EmailAddress } from "../../../schemas/platform/EmailAddress.ts"

/** The purpose of a code. */
export const EmailCodePurpose = Schema.Literals(["login", "registration", "email_change", "account_deletion"])
export type EmailCodePurpose = typeof EmailCodePurpose.Type

/**
 * A mailbox whose reader sent its code back. Only `EmailCodes` makes one, from a checked code. So anything that
 * requires it, such as a session, requires the mail.
 */
export const VerifiedMailbox = Schema.Struct({
  purpose: EmailCodePurpose,
  /** The address that the code was sent to. */
  address: EmailAddress,
  /** The same code was used before. */
  isRepeat: Schema.Boolean
}).pipe(Schema.brand("VerifiedMailbox"))
export type VerifiedMailbox = typeof VerifiedMailbox.Type
