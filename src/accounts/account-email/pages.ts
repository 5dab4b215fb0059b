import { Effect, Layer, Option } from "effect"
import { makeLinkPages } from "../../platform/http/privatePages.ts"
import { addRoute } from "../../platform/http/ServicePaths.ts"
import { html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { messagePage } from "../../platform/pages/messagePage.ts"
import { Site } from "../../platform/pages/Site.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { AccountEmail } from "./AccountEmail.ts"
import { CONFIRMATION_PATH } from "./confirmationLinks.ts"

const codePage = (baseUrl: string, code: string): Page =>
  messagePage({
    kicker: "Your account",
    title: "Confirm your email address",
    said: `Your code is ${code}.`,
    more: html`<p class="note">
        Enter it on <a href="${baseUrl}/desk/account">your account page</a>. If a program asked for it, give
        it the code or this page's address: <code>POST /api/v1/account/email/verify</code>.
      </p>
      <p class="note">Nothing has changed yet. If you didn't ask for this, close the page.</p>`
  })

const unknownPage = (baseUrl: string): Page =>
  messagePage({
    kicker: "Your account",
    title: "This link has expired",
    said: "It's older than ten minutes, or part of it is missing.",
    more: html`<p class="note">
      Ask for a new one on <a href="${baseUrl}/desk/account">your account page</a>, or have a program call
      <code>POST /api/v1/account/email/resend</code>.
    </p>`
  })

/**
 * Serves the page of a confirmation link: it shows the code and the next step. It changes nothing, so that
 * programs which open the links of mails confirm nothing (spec 4.1.6).
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const accountEmail = yield* AccountEmail
    const { baseUrl } = yield* Site
    const count = yield* limiting
    const { answering, page, query } = yield* makeLinkPages
    const show = Effect.gen(function* () {
      yield* count("public-read")
      const asked = yield* query
      const token = asked.get("type") === "email_change" ? asked.get("token") : null
      const code = token === null ? Option.none() : yield* accountEmail.codeOf(token)
      return Option.match(code, {
        onNone: () => page(unknownPage(baseUrl), 404),
        onSome: (it) => page(codePage(baseUrl, it))
      })
    })
    return addRoute("GET", CONFIRMATION_PATH, answering(show))
  })
)
