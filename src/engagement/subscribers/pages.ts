import { Effect, Layer, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { EmailAddressInput } from "../../../schemas/platform/EmailAddress.ts"
import { makeLinkPages, makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS } from "../../platform/http/SentForm.ts"
import { addRoute } from "../../platform/http/ServicePaths.ts"
import { oneLine } from "../../platform/mail/oneLine.ts"
import { html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { buttonTo, messagePage } from "../../platform/pages/messagePage.ts"
import { limiting, reportingRefusal } from "../../platform/rate-limits/http.ts"
import { Subscribers, type Subscription } from "./Subscribers.ts"
import { CONFIRM_PATH, END_PATH } from "./subscriptionTokens.ts"

/** The page that follows every request. */
const SENT = "/subscriptions/sent"

const KICKER = "Posts by email"

const sent = messagePage({
  kicker: KICKER,
  title: "Check your inbox",
  said: "If you aren't subscribed yet, we sent you a link to confirm. It works for 48 hours."
})

const tooMany = messagePage({
  kicker: KICKER,
  title: "Try again later",
  said: "We've had too many of these requests. Nothing was sent: try again in an hour."
})

const wrongAddress = messagePage({
  kicker: KICKER,
  title: "That's not an email address",
  said: "Go back and enter an address such as ada@example.org."
})

const authorPath = ({ handle }: Subscription) => `/@${handle}`

const toAuthor = (row: Subscription) => buttonTo(authorPath(row), "See the author's posts")

const confirmQuestion = (row: Subscription): Page =>
  messagePage({
    kicker: KICKER,
    title: `Get new posts from ${row.name}?`,
    said: `We'll email each new post to ${row.address}. You can unsubscribe with one click.`,
    more: html`<form method="post"><button class="button" type="submit">Confirm</button></form>`
  })

const confirmed = (row: Subscription): Page =>
  messagePage({
    kicker: KICKER,
    title: "You're subscribed",
    said: `We'll email you each new post from ${row.name}.`,
    more: toAuthor(row)
  })

const DAY = new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "UTC" })

/** Says since when, and how, a reader gets mail. */
const since = ({ brought_from, confirmed_at, is_approved, name }: Subscription) => {
  const from = brought_from === null ? "" : ` ${name} brought your address from ${oneLine(brought_from)}.`
  return confirmed_at === null || is_approved
    ? from
    : `${from} You confirmed this on ${DAY.format(confirmed_at)}, by a link in an email.`
}

/** Says what a reader gets, since when and how; or that they get nothing yet. */
const subscribedTo = (row: Subscription) =>
  row.state === "pending"
    ? `New posts from ${row.name} don't go to ${row.address} unless you confirm.`
    : `New posts from ${row.name} go to ${row.address}.${since(row)} Nothing has changed yet.`

/** The buttons send the requests that a mail program sends with one click (RFC 8058). */
const endQuestion = (row: Subscription, path: string): Page =>
  messagePage({
    kicker: KICKER,
    title: `Unsubscribe from ${row.name}?`,
    said: subscribedTo(row),
    more: html`<form class="act" method="post">
        <button class="button" type="submit">Unsubscribe</button>
      </form>
      <form class="act" method="post" action="${path}/all">
        <button class="button quiet" type="submit">Stop all posts from this site</button>
      </form>`
  })

const ended = (row: Subscription): Page =>
  messagePage({
    kicker: KICKER,
    title: "You're unsubscribed",
    said: `You won't get any more posts from ${row.name} by email. One that is already on its way may still arrive.`,
    more: toAuthor(row)
  })

/** Follows the link of a reader who left so long ago that nothing is known of them. */
const gone = messagePage({
  kicker: KICKER,
  title: "You're unsubscribed",
  said: "You don't get any more posts from this author by email."
})

const endedAll = messagePage({
  kicker: KICKER,
  title: "You're unsubscribed from everyone",
  said: "You won't get any more posts by email. One that is already on its way may still arrive."
})

const unknown = messagePage({
  kicker: KICKER,
  title: "This link doesn't work any more",
  said: "Open the full link from the email. A link to confirm works for 48 hours: after that, ask for a new one."
})

const decodeAddress = Schema.decodeUnknownOption(EmailAddressInput)

/**
 * Serves the form that asks for posts by mail, and the links of these mails. GET changes nothing, because programs open the
 * links of mails. POST takes any body.
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const subscribers = yield* Subscribers
    const count = yield* limiting
    const { answering, page } = yield* makeLinkPages
    const forms = yield* makePrivatePages

    const subscribe = Effect.gen(function* () {
      const { handle = "" } = yield* HttpRouter.params
      const form = yield* forms.readForm({ email: LENGTHS.line, website: LENGTHS.line })
      // People do not see this field. A program that fills it in learns nothing.
      if ((form.get("website") ?? "") !== "") return forms.seeOther(SENT)
      const email = decodeAddress(form.get("email"))
      if (Option.isNone(email)) return forms.page(wrongAddress, 422)
      return yield* reportingRefusal(
        Effect.andThen(count("subscribe"), subscribers.subscribe(handle, email.value))
      ).pipe(
        Effect.as(forms.seeOther(SENT)),
        Effect.catchTag("RateLimited", () => Effect.succeed(forms.page(tooMany, 429)))
      )
    })

    const answered = <A>(
      act: (token: string) => Effect.Effect<Option.Option<A>>,
      show: (row: A, token: string) => Page
    ) =>
      answering(
        Effect.gen(function* () {
          yield* count("public-read")
          const { token = "" } = yield* HttpRouter.params
          return Option.match(yield* act(token), {
            onNone: () => page(unknown, 404),
            onSome: (row) => page(show(row, token))
          })
        })
      )

    return Layer.mergeAll(
      addRoute("POST", "/@:handle/subscribe", forms.answering(subscribe)),
      addRoute("GET", SENT, answering(Effect.as(count("public-read"), page(sent)))),
      addRoute(
        "GET",
        `${CONFIRM_PATH}/:token`,
        answered(subscribers.asked, (row) => (row.state === "active" ? confirmed(row) : confirmQuestion(row)))
      ),
      addRoute("POST", `${CONFIRM_PATH}/:token`, answered(subscribers.confirm, confirmed)),
      addRoute(
        "GET",
        `${END_PATH}/:token`,
        answered(subscribers.subscription, (row, token) => {
          if (row === "gone") return gone
          return row.state === "active" || row.state === "pending"
            ? endQuestion(row, `${END_PATH}/${token}`)
            : ended(row)
        })
      ),
      addRoute(
        "POST",
        `${END_PATH}/:token`,
        answered(subscribers.end, (row) => (row === "gone" ? gone : ended(row)))
      ),
      addRoute(
        "POST",
        `${END_PATH}/:token/all`,
        answered(subscribers.endAll, () => endedAll)
      )
    )
  })
)
