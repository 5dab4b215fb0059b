import { type Letters, sameLetter } from "../../platform/mail/Letter.ts"

const dayOf = (at: Date) =>
  at.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" })

/** Returns the mail about an account that closes: its date, how to keep it, and what stays. */
export const closingLetters = (handle: string, erasesAt: Date, siteName: string): Letters =>
  sameLetter("account_closing", {
    subject: `Your ${siteName} account will be deleted on ${dayOf(erasesAt)}`,
    message: `Your ${siteName} account @${handle} is off the site, and will be deleted on ${dayOf(erasesAt)}.`,
    lines: [
      "Changed your mind? Sign in before then, and choose “Keep my account”.",
      "You can sign in until then, too, to download everything.",
      "Readers who bought your posts can still read them. Your comments stay as deleted comments, without your name."
    ],
    action: { label: "Keep or download my account", url: "/desk/account/delete" },
    closing: "If this wasn't you, sign in and keep your account right away."
  })

/** Returns the last mail of an account, after which the service forgets its address. */
export const deletedLetters = (handle: string, requestedAt: Date, siteName: string): Letters =>
  sameLetter("account_deleted", {
    subject: `Your ${siteName} account is deleted`,
    message: `Your ${siteName} account @${handle} and everything in it are deleted, except what others bought from you.`,
    lines: [
      "What you bought opens with the receipt or the wallet that paid for it.",
      "This is our last email to you. We've deleted your address."
    ],
    closing: `You, or the people who run this site, asked for this on ${dayOf(requestedAt)}.`
  })
