import { type Html, html } from "./html.ts"
import type { Page } from "./layout.ts"

/** A page that is for one reader alone. */
interface FormPage {
  readonly title: string
  readonly kicker?: string
  /** The title, unless another one is given. */
  readonly heading?: Html
  readonly scripts?: NonNullable<Page["scripts"]>
  /** True for a page of lists, on the grid of reading pages: its text begins at the edge. */
  readonly isWide?: boolean
  readonly content: Html
}

/** Returns a page with the forms of one reader. Search engines leave it out. */
export const formPage = ({
  content,
  heading,
  isWide = false,
  kicker,
  scripts = [],
  title
}: FormPage): Page => ({
  title,
  isIndexed: false,
  scripts,
  main: html`<div class="${isWide ? "message wide" : "message"}">
    ${kicker !== undefined && html`<p class="kicker">${kicker}</p>`}
    <h1>${heading ?? title}</h1>
    ${content}
  </div>`
})

/** A page of a few words. */
interface Message {
  readonly kicker?: string
  readonly title: string
  readonly said: string
  readonly more?: Html | false | undefined
}

/** Returns a page that tells a reader one thing, and what to do next. */
export const messagePage = ({ more, said, ...page }: Message): Page =>
  formPage({
    ...page,
    content: html`<p class="lede">${said}</p>
      ${more}`
  })

/** Returns a link that looks like a button. */
export const buttonTo = (path: string, name: string): Html =>
  html`<p class="act"><a class="button" href="${path}">${name}</a></p>`
