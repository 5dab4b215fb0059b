import { Effect, Option } from "effect"
import { PublicBaseUrl } from "../../../../schemas/platform/errors/PublicBaseUrl.ts"
import { SubscriberId } from "../../../../schemas/platform/Ids.ts"
import type { MailBody, SharedMail } from "../../../platform/mail/MailBodies.ts"
import { brief } from "../../../platform/mail/oneLine.ts"
import { mailOf } from "../../../platform/mail/templates.ts"
import { Settings } from "../../../platform/ports/Settings.ts"
import { makeBounceTokens } from "../bounces/bounceTokens.ts"
import { importLetter } from "../subscriptionLetters.ts"
import { makeSubscriptionTokens } from "../subscriptionTokens.ts"
import { subscriberImportStatements } from "./subscriberImports.sql.ts"

/** Makes the function that returns the mail which asks a reader of an import to confirm; none for one who need not. */
export const makeConfirmationBody = Effect.gen(function* () {
  const imports = yield* subscriberImportStatements
  const tokens = yield* makeSubscriptionTokens
  const bounces = yield* makeBounceTokens
  const origin = yield* PublicBaseUrl
  const { siteName } = yield* Settings
  const host = new URL(origin).hostname

  return Effect.fnUntraced(function* ({ bodyId, readerId }: SharedMail) {
    const reader = SubscriberId.make(readerId)
    const row = yield* imports.confirmation(bodyId, reader)
    if (Option.isNone(row)) return Option.none<MailBody>()
    const { address, asked_at: askedAt, author, handle, mailbox, name } = row.value
    const unsubscribeUrl = `${origin}${yield* tokens.endPath({ author, mailbox })}`
    const path = yield* tokens.confirmPath({ id: reader, askedAt })
    const { html, subject, text } = mailOf(importLetter(name, path, unsubscribeUrl, siteName), {
      id: bodyId,
      origin,
      recipient: address,
      siteName
    })
    return Option.some<MailBody>({
      from: `${brief(name, 50)} (${siteName})`,
      subject,
      text,
      html,
      unsubscribeUrl,
      listId: `${handle.toLowerCase()}.posts.${host}`,
      bounceToken: yield* bounces.tokenOf(reader),
      // The request ends by itself, after 48 hours.
      refused: () => Effect.void
    })
  })
})
