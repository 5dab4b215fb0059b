import { type Html, html } from "../../../platform/pages/html.ts"

/** Returns the target of a list behind a cursor, or of its beginning. */
export const targetAfter = (path: string, after: string | null): string =>
  after === null ? path : `${path}?after=${encodeURIComponent(after)}`

/** The links to the next and the first page of a list. */
export const pager = (next: string | null, first: string | null): Html | false =>
  (next !== null || first !== null) &&
  html`<nav class="pager" aria-label="Pages">
    ${next !== null && html`<a rel="next" href="${next}">Next page</a>`}${first !== null && html`<a href="${first}">First page</a>`}
  </nav>`
