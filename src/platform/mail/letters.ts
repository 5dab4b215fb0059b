import { EMAIL_CODE_LIFETIME_SECONDS } from "../../../schemas/accounts/email-codes/EmailCode.ts"
import { type Letter, SERVICE_NAME } from "./Letter.ts"
import type { MailContent } from "./MailContent.ts"
import { notificationLetterOf } from "./notificationLetters.ts"

const minutes = EMAIL_CODE_LIFETIME_SECONDS / 60
const validity = `It works once, within ${minutes} minutes of when you asked for it. ${SERVICE_NAME} will never ask you for it.`
const closing = "If you did not ask for this, ignore this mail: without it, nothing happens."

/** Returns the text of a mail, for a mailbox with or without an owner. */
export const letterOf = (content: MailContent, hasOwner: boolean): Letter => {
  switch (content.kind) {
    case "login_code":
      return {
        subject: `Your code to log in to ${SERVICE_NAME}`,
        message: `Enter this code where you asked to log in to ${SERVICE_NAME}:`,
        code: content.code,
        validity,
        closing
      }
    case "registration_code":
      if (hasOwner) {
        return {
          subject: `You have a ${SERVICE_NAME} account`,
          message: `Someone asked to register this address with ${SERVICE_NAME}. It already has an account, so log in with it instead.`,
          closing
        }
      }
      return {
        subject: `Your code to register with ${SERVICE_NAME}`,
        message: `Enter this code where you asked to register with ${SERVICE_NAME}:`,
        code: content.code,
        validity,
        closing
      }
    case "email_change_code":
      return {
        subject: `Confirm your address for ${SERVICE_NAME}`,
        message: `Enter this code to make this the address of your ${SERVICE_NAME} account:`,
        code: content.code,
        confirmationUrl: content.confirmationUrl,
        validity,
        closing
      }
    case "email_changed":
      return {
        subject: `The address of your ${SERVICE_NAME} account has changed`,
        message: `Another address has been confirmed for your ${SERVICE_NAME} account. You can no longer log in with this one.`,
        closing: "If this was not you, tell the operators of the service at once."
      }
    default:
      return notificationLetterOf(content)
  }
}
