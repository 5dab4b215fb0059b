import { KEPT_DAYS } from "../../../schemas/accounts/deletion/Deletion.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import { DELETION } from "../browser/paths.ts"

/** Returns the part of the account that leads to its deletion. */
export const deletionSection = (): Html =>
  html`<section class="files" aria-labelledby="delete">
    <h2 class="label" id="delete">Delete this account</h2>
    <p>Your account leaves the site at once. You can still change your mind for ${KEPT_DAYS} days.</p>
    <p class="act"><a class="button quiet" href="${DELETION}">Delete this account</a></p>
  </section>`
