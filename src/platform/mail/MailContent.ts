import { Schema } from "effect"
import { EmailCode } from "../../../schemas/accounts/email-codes/EmailCode.ts"

/** The code of a returning owner. It leaves only for a mailbox that has an owner. */
const LoginCode = Schema.Struct({ kind: Schema.Literal("login_code"), code: EmailCode })

/** The code of a registration. A mailbox that has an owner is told to log in instead. */
const RegistrationCode = Schema.Struct({ kind: Schema.Literal("registration_code"), code: EmailCode })

/** To the new mailbox of an owner: the code that confirms it, and the URL that does the same. */
const EmailChangeCode = Schema.Struct({
  kind: Schema.Literal("email_change_code"),
  code: EmailCode,
  confirmationUrl: Schema.String
})

/** To the former mailbox of an owner. */
const EmailChanged = Schema.Struct({ kind: Schema.Literal("email_changed") })

/**
 * The content of a mail. The service posts login and registration codes for every mailbox that a request names. It
 * looks the owner up only when the mail leaves (spec 4.1).
 */
export const MailContent = Schema.Union([LoginCode, RegistrationCode, EmailChangeCode, EmailChanged])
export type MailContent = typeof MailContent.Type
