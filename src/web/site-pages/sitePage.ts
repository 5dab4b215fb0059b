import { html, trusted } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import type { PageText } from "../../publishing/content/html/pageText.ts"
import { contents } from "../pages/parts/contents.ts"
import { english } from "../pages/words/wordsIn.ts"

/** A page that the operator wrote, with its text as HTML. */
export interface SitePageView {
  readonly title: string
  readonly url: string
  readonly text: PageText
}

/** Returns a page of the operator. Its language is not known, so a screen reader takes that of its reader. */
export const sitePage = ({ text, title, url }: SitePageView): Page => ({
  title,
  canonical: url,
  main: html`<article lang="">
    <h1 dir="auto">${title}</h1>
    ${contents(text.headings, english)}
    <div class="prose" dir="auto">${trusted(text.html)}</div>
  </article>`
})
