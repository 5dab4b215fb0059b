import { Effect, Option } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { BrowserAuthority } from "../../../schemas/platform/security/authorities.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { makeBrowser } from "./http.ts"
import { signInPath } from "./paths.ts"

type Response = HttpServerResponse.HttpServerResponse

/** Tells readers whose session ended while they filled in a form. It stands above the form. */
export const signedOut = (back: string): Html =>
  outcome(
    html`You are signed out, so nothing was changed.
      <a href="${signInPath(back)}" target="_blank" rel="noopener">Sign in in a new tab</a>, then come back
      and press the button again.`
  )

/** Returns the page with the form of a reader whose session ended, and what they typed. */
export const signedOutPage = (title: string, back: string, form?: Html): Page =>
  formPage({ title, content: html`${signedOut(back)}${form}` })

/** Makes the function that acts for the owner who sends a form. It answers others with a page that has the form again. */
export const makeOwnersForm = Effect.gen(function* () {
  const { counted, owner, restricted } = yield* makeBrowser
  const { page } = yield* makePrivatePages

  return <E, R>(again: () => Page, act: (owner: BrowserAuthority) => Effect.Effect<Response, E, R>) =>
    Effect.gen(function* () {
      const found = yield* owner
      if (Option.isNone(found)) return page(again(), 401)
      if (found.value.isRestricted) return restricted
      yield* counted(found.value)
      return yield* act(found.value)
    })
})
