import { DELETED_HANDLE } from "../../../schemas/accounts/profile/reserved.ts"
import { html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"

/** The path to which the name of each deleted account leads. */
export const DELETED = `/@${DELETED_HANDLE}` as const

/** Returns the page that explains the name of deleted accounts. */
export const deletedPage: Page = {
  title: "Deleted accounts",
  isIndexed: false,
  main: html`<div>
    <p class="kicker">Deleted account</p>
    <h1>This account was deleted</h1>
    <p class="lede">
      People who delete their account disappear from the site. Their comments lose their text and their name,
      so that the replies of others still make sense.
    </p>
    <p>
      If you bought one of their posts, it's still yours. You find it under
      <a href="/desk/purchases">what you bought</a>, or with the link that you kept.
    </p>
    <p class="note">All deleted accounts look the same, so this page doesn't say whose it was.</p>
  </div>`
}
