import { type Html, html } from "../../../platform/pages/html.ts"
import { dayOf, secondsOf } from "../../../platform/pages/language.ts"

/** A day as its language writes it, for people and programs. */
export const day = (moment: string, language: string, className = ""): Html =>
  className === ""
    ? html`<time datetime="${secondsOf(moment)}">${dayOf(moment, language)}</time>`
    : html`<time class="${className}" datetime="${secondsOf(moment)}">${dayOf(moment, language)}</time>`

/** A price in words that are read aloud as they are meant. */
export const price = (xno: string): Html => html`<span class="tag price">${xno} XNO</span>`

/** Returns a count with its noun. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`

/** Returns the target of a list behind a cursor, or of its beginning. */
export const targetAfter = (path: string, after: string | null): string =>
  after === null ? path : `${path}?after=${encodeURIComponent(after)}`

/** The links to the next and the first page of a list. */
export const pager = (next: string | null, first: string | null): Html | false =>
  (next !== null || first !== null) &&
  html`<nav class="pager" aria-label="Pages">
    ${next !== null && html`<a rel="next" href="${next}">Next page</a>`}${first !== null && html`<a href="${first}">First page</a>`}
  </nav>`
