import { type Html, html } from "./html.ts"
import type { Page } from "./layout.ts"

/** A page of a few words. */
interface Message {
  readonly kicker?: string
  readonly title: string
  readonly said: string
  readonly more?: Html | undefined
}

/** Returns a page that tells a reader one thing, and what to do next. */
export const messagePage = ({ kicker, more, said, title }: Message): Page => ({
  title: `${title} · Pennypress`,
  isIndexed: false,
  main: html`<div class="message">
    ${kicker !== undefined && html`<p class="kicker">${kicker}</p>`}
    <h1>${title}</h1>
    <p class="lede">${said}</p>
    ${more}
  </div>`
})

/** Returns a link that looks like a button. */
export const buttonTo = (path: string, name: string): Html =>
  html`<p class="act"><a class="button" href="${path}">${name}</a></p>`
