import {
  EMAIL_CODE_LIFETIME_SECONDS,
  type EmailCode
} from "../../../schemas/accounts/email-codes/EmailCode.ts"
import type { Letter } from "./Letter.ts"
import type { MailContent } from "./MailContent.ts"
import { notificationLetterOf } from "./notificationLetters.ts"

const minutes = EMAIL_CODE_LIFETIME_SECONDS / 60
const validityOf = (siteName: string) =>
  `The code works once, and expires ${minutes} minutes after you asked for it. ${siteName} will never ask you for it.`
const closing = "If you didn't ask for this, you can ignore this email."

/** People read the code in the list of their mails, without opening the mail. */
const subjectOf = (code: EmailCode, siteName: string) => `${code} is your ${siteName} code`

/** The two ends of a mail: its mailbox, with or without an owner, and the site. */
interface Reader {
  readonly hasOwner: boolean
  readonly siteName: string
}

/** Returns the text of a mail, for a mailbox with or without an owner. */
export const letterOf = (content: MailContent, { hasOwner, siteName }: Reader): Letter => {
  switch (content.kind) {
    case "login_code":
      return {
        subject: subjectOf(content.code, siteName),
        message: `Enter this code to sign in to ${siteName}:`,
        code: content.code,
        validity: validityOf(siteName),
        closing
      }
    case "registration_code":
      if (hasOwner) {
        return {
          subject: `You already have a ${siteName} account`,
          message: `Someone tried to create a ${siteName} account with this address. It already has one, so sign in instead.`,
          action: { label: "Sign in", url: "/sign-in" },
          closing
        }
      }
      return {
        subject: subjectOf(content.code, siteName),
        message: `Enter this code to create your ${siteName} account:`,
        code: content.code,
        validity: validityOf(siteName),
        closing
      }
    case "email_change_code":
      return {
        subject: subjectOf(content.code, siteName),
        message: `Enter this code to use this address for your ${siteName} account:`,
        code: content.code,
        action: { label: "Or open the confirmation page", url: content.confirmationUrl },
        validity: validityOf(siteName),
        closing
      }
    case "email_changed":
      return {
        subject: `Your ${siteName} email address was changed`,
        message: `Your ${siteName} account now has a different email address. You can no longer sign in with this one.`,
        closing: "If this wasn't you, contact the people who run this site right away."
      }
    default:
      return notificationLetterOf(content, siteName)
  }
}
