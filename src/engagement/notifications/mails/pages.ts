import { Effect, Layer, Option } from "effect"
import type { EmailKey } from "../../../../schemas/engagement/notifications/Preferences.ts"
import { makeLinkPages } from "../../../platform/http/privatePages.ts"
import { addRoute } from "../../../platform/http/ServicePaths.ts"
import { hidden } from "../../../platform/pages/fields.ts"
import { html } from "../../../platform/pages/html.ts"
import type { Page } from "../../../platform/pages/layout.ts"
import { buttonTo, messagePage } from "../../../platform/pages/messagePage.ts"
import { limiting } from "../../../platform/rate-limits/http.ts"
import { MAIL_SETTINGS_PATH, mailKinds } from "./mailKinds.ts"
import { UNSUBSCRIBE_PATH, Unsubscriptions } from "./Unsubscriptions.ts"

/** The button sends the same request to the address of the page as one click in a mail program (RFC 8058). */
const question = (key: EmailKey): Page =>
  messagePage({
    kicker: "Email",
    title: "Stop these emails?",
    said: `You will no longer get emails about ${mailKinds[key]}. Nothing has changed yet.`,
    more: html`<form method="post">
      ${hidden("List-Unsubscribe", "One-Click")}<button class="button" type="submit">Unsubscribe</button>
    </form>`
  })

const confirmation = (key: EmailKey): Page =>
  messagePage({
    kicker: "Email",
    title: "You're unsubscribed",
    said: `You won't get any more emails about ${mailKinds[key]}. One that is already on its way may still arrive.`,
    more: html`<p class="note">
      Changed your mind? <a href="${MAIL_SETTINGS_PATH}">Choose the emails you get</a>.
    </p>`
  })

const unknown = messagePage({
  kicker: "Email",
  title: "This link is incomplete",
  said: "Open the full link from the email, or choose the emails you get in your settings.",
  more: buttonTo(MAIL_SETTINGS_PATH, "Email settings")
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
      addRoute("GET", UNSUBSCRIBE_PATH, answered(unsubscriptions.keyOf, question)),
      addRoute("POST", UNSUBSCRIBE_PATH, answered(unsubscriptions.switchOff, confirmation))
    )
  })
)
