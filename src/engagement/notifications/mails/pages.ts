import { Effect, Layer, Option } from "effect"
import { HttpRouter } from "effect/http"
import type { EmailKey } from "../../../../schemas/engagement/notifications/Preferences.ts"
import { makeLinkPages } from "../../../platform/http/privatePages.ts"
import { hidden } from "../../../platform/pages/fields.ts"
import { html } from "../../../platform/pages/html.ts"
import type { Page } from "../../../platform/pages/layout.ts"
import { messagePage } from "../../../platform/pages/messagePage.ts"
import { limiting } from "../../../platform/rate-limits/http.ts"
import { UNSUBSCRIBE_PATH, Unsubscriptions } from "./Unsubscriptions.ts"

/** The mails that each preference governs, for people. */
const words: Readonly<Record<EmailKey, string>> = {
  notify_new_purchase: "sales and tips",
  notify_new_post: "new Posts of authors whom you follow",
  notify_new_follow: "new followers",
  notify_account_issues: "your account",
  notify_summaries: "your day",
  notify_new_comment: "comments on your Posts",
  notify_comment_reply: "replies to your comments",
  notify_commented_post_activity: "discussions that you took part in"
}

/** The button sends the same request to the address of the page as one click in a mail program (RFC 8058). */
const question = (key: EmailKey): Page =>
  messagePage({
    kicker: "Mails",
    title: "Stop these mails?",
    said: `The button ends mails about ${words[key]}. Nothing has changed yet.`,
    more: html`<form method="post">
      ${hidden("List-Unsubscribe", "One-Click")}<button class="button" type="submit">
        Send me no more of them
      </button>
    </form>`
  })

const confirmation = (key: EmailKey): Page =>
  messagePage({
    kicker: "Mails",
    title: "These mails are off",
    said: `You get no more mails about ${words[key]}. Mails that are already on their way may still arrive.`,
    more: html`<p class="note">
      To get them again, send <code>{"${key}": true}</code> to
      <code>PUT /api/v1/notification-preferences</code>.
    </p>`
  })

const unknown = messagePage({
  kicker: "Mails",
  title: "This link is not complete",
  said: "Open the whole link from the mail, or change your notification preferences."
})

/**
 * Serves the links that end mails of a kind. GET changes nothing, because programs open the links of mails. POST
 * switches the kind off, with any body: mail programs send theirs in several forms.
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const unsubscriptions = yield* Unsubscriptions
    const count = yield* limiting
    const { answering, page, query } = yield* makeLinkPages

    const answered = (
      act: (token: string) => Effect.Effect<Option.Option<EmailKey>>,
      show: (key: EmailKey) => Page
    ) =>
      answering(
        Effect.gen(function* () {
          yield* count("public-read")
          const token = (yield* query).get("token")
          const key = token === null ? Option.none() : yield* act(token)
          return Option.match(key, { onNone: () => page(unknown, 404), onSome: (it) => page(show(it)) })
        })
      )

    return Layer.merge(
      HttpRouter.add("GET", UNSUBSCRIBE_PATH, answered(unsubscriptions.keyOf, question)),
      HttpRouter.add("POST", UNSUBSCRIBE_PATH, answered(unsubscriptions.switchOff, confirmation))
    )
  })
)
