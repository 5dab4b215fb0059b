import { Effect, Layer, Option } from "effect"
import { PublicBaseUrl } from "../../../../schemas/platform/errors/PublicBaseUrl.ts"
import { PostId, SubscriberId } from "../../../../schemas/platform/Ids.ts"
import { MailBodies } from "../../../platform/mail/MailBodies.ts"
import { brief } from "../../../platform/mail/oneLine.ts"
import { Settings } from "../../../platform/ports/Settings.ts"
import { makeBounceTokens } from "../bounces/bounceTokens.ts"
import { makeReaderFailed } from "../bounces/readerFailed.ts"
import { makeConfirmationBody } from "../imports/confirmationBody.ts"
import { makeSubscriptionTokens } from "../subscriptionTokens.ts"
import { mailingStatements } from "./mailings.sql.ts"
import { withFooter } from "./postMail.ts"

/** Makes the function that returns the end of a mail to a reader. */
export const makeFooter = Effect.gen(function* () {
  const origin = yield* PublicBaseUrl
  const { mailPostalAddress: postalAddress, siteName, sitePages } = yield* Settings
  const pages = sitePages.map(({ name, title }) => ({ title, url: `${origin}/pages/${name}` }))
  return (author: string, endUrl: string) => ({ author, endUrl, origin, pages, postalAddress, siteName })
})

/** Makes the mail about a post, or the one that asks to confirm an import, for each reader when it leaves. */
export const postMailBodies = Layer.effect(
  MailBodies,
  Effect.gen(function* () {
    const mailings = yield* mailingStatements
    const readerFailed = yield* makeReaderFailed
    const tokens = yield* makeSubscriptionTokens
    const bounces = yield* makeBounceTokens
    const footerOf = yield* makeFooter
    const confirmationBody = yield* makeConfirmationBody
    const origin = yield* PublicBaseUrl
    const { siteName } = yield* Settings
    const host = new URL(origin).hostname

    return MailBodies.of({
      // Imports have no count of their own.
      expired: (bodyId, count) => mailings.failed(PostId.make(bodyId), count),
      bodyOf: Effect.fn("MailBodies.bodyOf")(function* ({ bodyId, readerId }) {
        const post = PostId.make(bodyId)
        const reader = SubscriberId.make(readerId)
        const row = yield* mailings.body(post, reader)
        if (Option.isNone(row)) {
          yield* mailings.stop(post, reader)
          return yield* confirmationBody({ bodyId, readerId })
        }
        const { author, handle, mailbox, name, subject, ...texts } = row.value
        const unsubscribeUrl = `${origin}${yield* tokens.endPath({ author, mailbox })}`
        return Option.some({
          from: `${brief(name, 50)} (${siteName})`,
          subject,
          ...withFooter(texts, footerOf(name, unsubscribeUrl)),
          unsubscribeUrl,
          listId: `${handle.toLowerCase()}.posts.${host}`,
          bounceToken: yield* bounces.tokenOf(reader),
          refused: (isOfReader) =>
            Effect.andThen(mailings.failed(post, 1), isOfReader ? readerFailed(reader, post) : Effect.void)
        })
      })
    })
  })
)
