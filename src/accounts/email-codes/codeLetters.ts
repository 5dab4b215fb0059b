import {
  EMAIL_CODE_LIFETIME_SECONDS,
  type EmailCode
} from "../../../schemas/accounts/email-codes/EmailCode.ts"
import { type Letters, sameLetter } from "../../platform/mail/Letter.ts"

const minutes = EMAIL_CODE_LIFETIME_SECONDS / 60
const closing = "If you didn't ask for this, you can ignore this email."

/** Returns what all mails with a code have. People read the code in the list of their mails, without opening the mail. */
const codeLetter = (code: EmailCode, siteName: string, message: string) => ({
  subject: `${code} is your ${siteName} code`,
  message,
  code,
  note: `The code works once, and expires ${minutes} minutes after you asked for it. ${siteName} will never ask you for it.`,
  closing
})

/** Returns the mail of a returning owner. A mailbox without an owner gets none. */
export const loginLetters = (code: EmailCode, siteName: string): Letters => ({
  kind: "login_code",
  toOwner: codeLetter(code, siteName, `Enter this code to sign in to ${siteName}:`),
  toStranger: null
})

/** Returns the mail of a page that asks for an address alone: the code signs an owner in, and registers everyone else. */
export const doorLetters = (code: EmailCode, siteName: string): Letters => ({
  ...loginLetters(code, siteName),
  toStranger: codeLetter(code, siteName, `Enter this code to create your ${siteName} account:`),
  isForAccount: true
})

/** Returns the mail of a registration. For a mailbox that has an owner, it says to sign in instead. */
export const registrationLetters = (code: EmailCode, siteName: string): Letters => ({
  kind: "registration_code",
  toOwner: {
    subject: `You already have a ${siteName} account`,
    message: `Someone tried to create a ${siteName} account with this address. It already has one, so sign in instead.`,
    action: { label: "Sign in", url: "/sign-in" },
    closing
  },
  toStranger: codeLetter(code, siteName, `Enter this code to create your ${siteName} account:`)
})

/** Returns the mail to the new mailbox of an owner: the code that confirms it, and the URL that does the same. */
export const emailChangeLetters = (code: EmailCode, confirmationUrl: string, siteName: string): Letters =>
  sameLetter("email_change_code", {
    ...codeLetter(code, siteName, `Enter this code to use this address for your ${siteName} account:`),
    action: { label: "Or open the confirmation page", url: confirmationUrl }
  })

/** Returns the mail with the code that deletes an account. */
export const deletionCodeLetters = (code: EmailCode, handle: string, siteName: string): Letters => ({
  kind: "deletion_code",
  toOwner: {
    ...codeLetter(
      code,
      siteName,
      `Enter this code to delete the ${siteName} account @${handle} and everything in it:`
    ),
    subject: `${code} confirms the deletion of your account`,
    closing:
      "If you didn't ask for this, someone else is signed in to your account. Sign out all browsers on your account page."
  },
  toStranger: null
})

/** Returns the mail to the former mailbox of an owner. */
export const emailChangedLetters = (siteName: string): Letters =>
  sameLetter("email_changed", {
    subject: `Your ${siteName} email address was changed`,
    message: `Your ${siteName} account now has a different email address. You can no longer sign in with this one.`,
    closing: "If this wasn't you, contact the people who run this site right away."
  })
