import { Context, Effect, Layer, Option } from "effect"
import { PublicBaseUrl } from "../../../../schemas/platform/errors/PublicBaseUrl.ts"
import { sameLetter } from "../../../platform/mail/Letter.ts"
import { Mails } from "../../../platform/mail/Mails.ts"
import { operatorContact } from "../../../platform/ports/operatorContact.ts"
import { Settings } from "../../../platform/ports/Settings.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { DAY_MILLIS, later, now } from "../../../platform/time/now.ts"
import type { Claim } from "../../../platform/work/lease.ts"
import { mailKeys } from "./mailKinds.ts"
import { newsOf } from "./newsOf.ts"
import { notificationLetterOf, SOLD_POSTS_MAX } from "./notificationLetters.ts"
import { type DueMail, type MailFacts, notificationMailStatements } from "./notificationMails.sql.ts"
import { Unsubscriptions } from "./Unsubscriptions.ts"

/** Age from which news is no longer mailed. */
const NEWS_MILLIS = 2 * DAY_MILLIS

/** Mails about notifications, on their way into the outbox. */
export class NotificationMails extends Context.Service<
  NotificationMails,
  {
    /** Claims mails that are due, oldest first; none while enough of them wait in the outbox. */
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<DueMail>>
    /**
     * Puts a mail into the outbox, in the transaction that completes the work, so a process that dies neither
     * duplicates nor loses a mail. Posts nothing to a reader who no longer wants the mail, and nothing about content
     * that is no longer public.
     */
    readonly post: (due: DueMail) => Effect.Effect<void>
  }
>()("pennypress/engagement/notifications/mails/NotificationMails") {
  static readonly layer = Layer.effect(
    NotificationMails,
    Effect.gen(function* () {
      const { claim, sold, take } = yield* notificationMailStatements
      const mails = yield* Mails
      const transactions = yield* Transactions
      const unsubscriptions = yield* Unsubscriptions
      const origin = yield* PublicBaseUrl
      const sender = { siteName: (yield* Settings).siteName, contact: yield* operatorContact }

      /** Returns the sales of the day that a mail is about, those of one Post more than it tells. */
      const soldOn = ({ created_at, recipient_id }: MailFacts) =>
        sold(recipient_id, later(created_at, -DAY_MILLIS), created_at, SOLD_POSTS_MAX + 1)

      const post = Effect.fn("NotificationMails.post")(
        function* (due: DueMail) {
          const taken = yield* take(due)
          if (Option.isNone(taken)) return
          const facts = taken.value
          const expiresAt = later(facts.created_at, NEWS_MILLIS)
          if (expiresAt <= (yield* now)) return
          const unsubscribeUrl = yield* unsubscriptions.urlOf(facts.recipient_id, mailKeys[facts.type])
          const news = newsOf(facts, {
            origin,
            sold: facts.type === "daily_sales" ? yield* soldOn(facts) : [],
            unsubscribeUrl
          })
          if (news === undefined) return
          const letters = sameLetter(news.kind, notificationLetterOf(news, sender))
          yield* mails.post({ recipient: facts.mailbox, letters, expiresAt, isBulk: true })
        },
        (effect) => transactions.run(effect)
      )

      return NotificationMails.of({ claim, post })
    })
  )
}
