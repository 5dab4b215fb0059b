import { type Html, html } from "../../platform/pages/html.ts"
import { EXPORT } from "../browser/paths.ts"

/** The part of the account with the download of everything. */
export const exportSection: Html = html`<section class="files" aria-labelledby="export">
  <h2 class="label" id="export">Download everything</h2>
  <p>
    A ZIP with all your posts as Markdown, your pictures, files, sales and everything else that we keep about
    you. Hugo, Jekyll and Astro can build a site from it.
  </p>
  <p class="act"><a class="button" href="${EXPORT}" download>Download everything</a></p>
</section>`
