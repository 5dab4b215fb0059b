import { Effect } from "effect"
import { type EmailAddress, mailboxOf } from "../../../schemas/platform/EmailAddress.ts"
import { type Letters, sameLetter } from "../../platform/mail/Letter.ts"
import { Mails } from "../../platform/mail/Mails.ts"
import { untagged } from "../../platform/mail/untagged.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { isOfMailbox, RateLimits } from "../../platform/rate-limits/RateLimits.ts"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"

interface MailedLink {
  readonly recipient: EmailAddress
  /** The path of the text, with the receipt in its fragment. */
  readonly path: string
}

/** Returns the mail with a private link. It has no word of an author, so it carries no advertisement to a stranger. */
const linkLetters = (path: string, siteName: string): Letters =>
  sameLetter("private_link", {
    subject: `Your private link from ${siteName}`,
    message: `Here is your private link to a post on ${siteName}. It opens the whole text on any device.`,
    action: { label: "Read the post", url: path },
    note: "Keep this link to yourself: anyone who has it can read the post and add it to their account.",
    closing: "If you didn't ask for this, you can ignore this email."
  })

/**
 * Makes the function that mails a private link. A mailbox gets few of these mails from all senders together. It gets no
 * further one, and the sender does not learn that, or the limit would tell strangers whom others send links to.
 */
export const makeMailLink = Effect.gen(function* () {
  const mails = yield* Mails
  const { consume } = yield* RateLimits
  const { siteName } = yield* Settings
  return Effect.fnUntraced(function* ({ path, recipient }: MailedLink) {
    yield* consume("link-mails-all", "all")
    yield* consume("mailbox-links", untagged(mailboxOf(recipient))).pipe(
      Effect.andThen(now),
      Effect.flatMap((at) =>
        mails.post({ recipient, letters: linkLetters(path, siteName), expiresAt: later(at, DAY_MILLIS) })
      ),
      Effect.catchIf(isOfMailbox, () => Effect.void)
    )
  })
})
