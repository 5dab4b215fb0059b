import { type Html, html } from "../../../platform/pages/html.ts"
import { english, type PageWords } from "../words/wordsIn.ts"

/** Returns the target of a list behind a cursor, or of its beginning. */
export const targetAfter = (path: string, after: string | null): string =>
  after === null ? path : `${path}?after=${encodeURIComponent(after)}`

/** The links to the next and the first page of a list. */
export const pager = (next: string | null, first: string | null, words: PageWords = english): Html | false =>
  (next !== null || first !== null) &&
  html`<nav class="pager" aria-label="${words.pages}">
    ${next !== null && html`<a rel="next" href="${next}">${words.nextPage}</a>`}${first !== null && html`<a href="${first}">${words.firstPage}</a>`}
  </nav>`
