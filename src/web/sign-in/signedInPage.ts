import { html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { buttonTo, formPage } from "../../platform/pages/messagePage.ts"
import { DESK } from "../browser/paths.ts"

/** Returns the page for a reader who is signed in already. */
export const signedInPage = ({ handle, name }: { readonly handle: string; readonly name: string }): Page =>
  formPage({
    title: "You're signed in",
    content: html`<p class="lede">This browser is signed in as <bdi>${name}</bdi> (@${handle}).</p>
      ${buttonTo(DESK, "Go to your desk")}
      <p class="note"><a href="/sign-out">Sign out</a></p>`
  })
