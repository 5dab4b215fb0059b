import { type Letter, type Letters, sameLetter } from "../../platform/mail/Letter.ts"
import { brief } from "../../platform/mail/oneLine.ts"

/** Names the kind of these mails in metrics and logs. */
const KIND = "subscription"

/** Characters of a name in a mail. */
const NAME_MAX = 50

/** Returns the mail that confirms a request. Of the author it has the name alone, so it carries no advertisement to a stranger. */
export const confirmationLetters = (name: string, path: string, siteName: string): Letters => {
  const author = brief(name, NAME_MAX)
  return sameLetter(KIND, {
    subject: `Confirm your subscription to ${author}`,
    message: `You asked to get new posts from ${author} on ${siteName} by email. Confirm that this address is yours.`,
    action: { label: "Confirm", url: path },
    note: "The link works for 48 hours.",
    closing:
      "If you didn't ask for this, you can ignore this email. You won't get another one unless someone asks again."
  })
}

/** Returns the mail that asks a reader of another list to confirm. Of the author it has the name alone. */
export const importLetter = (
  name: string,
  path: string,
  unsubscribeUrl: string,
  siteName: string
): Letter => {
  const author = brief(name, NAME_MAX)
  return {
    subject: `Do you still want new posts from ${author}?`,
    message: `${author} now writes on ${siteName}, and says that you agreed to get their posts by email. Confirm to keep getting them.`,
    action: { label: "Confirm", url: path },
    note: "The link works for 48 hours. Without it you get no more emails from this author.",
    closing: "If you don't want this, ignore this email. To refuse it for good, unsubscribe.",
    choices: { unsubscribeUrl }
  }
}
