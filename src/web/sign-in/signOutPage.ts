import { hidden } from "../../platform/pages/fields.ts"
import { html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { day } from "../pages/parts/values.ts"

/** A browser in which an owner is signed in. */
interface SignedInView {
  readonly id: string
  readonly label: string
  readonly since: string
  readonly isThis: boolean
}

/** Returns the list of the browsers in which an owner is signed in, each with the button that ends it. */
export const signOutPage = (browsers: ReadonlyArray<SignedInView>): Page =>
  formPage({
    title: "Signed in",
    heading: html`Where you're signed in`,
    content: html`<div class="files">
      <ul>
        ${browsers.map(
          ({ id, isThis, label, since }) =>
            html`<li>
              <span>${label}${isThis && " (this browser)"}, since ${day(since, "en")}</span>
              <form method="post" action="/sign-out">
                ${hidden("session", id)}<button class="button quiet" type="submit">
                  Sign out<span class="sr"> of ${label}</span>
                </button>
              </form>
            </li>`
        )}
      </ul>
    </div>`
  })
