import type { EmailCode } from "../../../schemas/accounts/email-codes/EmailCode.ts"

/** The name of the service in its mail. */
export const SERVICE_NAME = "Pennypress"

/** The values that fill the template of all mail. */
export interface Letter {
  /**
   * Never contains the code, because a locked telephone shows subjects. Never contains the words of a stranger, either.
   */
  readonly subject: string
  readonly message: string
  /** The words of a stranger: one line of bounded length. */
  readonly quote?: string
  readonly code?: EmailCode
  /** A URL that confirms as the code does. */
  readonly confirmationUrl?: string
  /** The page that shows what the mail is about. */
  readonly url?: string
  /** A note about the life and use of the code. */
  readonly validity?: string
  readonly closing: string
  /** A URL that switches mails of this kind off. */
  readonly unsubscribeUrl?: string
}
