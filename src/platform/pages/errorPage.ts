import { type Html, html } from "./html.ts"
import type { Page } from "./layout.ts"
import { searchField } from "./searchField.ts"

interface Words {
  readonly title: string
  readonly said: string
  readonly more?: Html
}

const words: Readonly<Record<number, Words>> = {
  404: {
    title: "We can't find that page",
    said: "Check the address for typos. The post may also have been withdrawn by its author.",
    more: searchField
  },
  405: { title: "This page can only be read", said: "Go back and follow a link to it." },
  410: {
    title: "This account was deleted",
    said: "Its posts are no longer here. If you bought one of them, you can still read it.",
    more: html`<p><a href="/desk/purchases">What you bought</a></p>`
  },
  429: {
    title: "Too many requests",
    said: "Your network asked for a lot of pages within a minute. Wait a moment, then reload the page."
  },
  503: {
    title: "One moment, please",
    said: "We're starting up, or very busy. Nothing is lost. Reload the page in a few seconds."
  }
}

const broken: Words = {
  title: "Something went wrong",
  said: "It's our fault, and we've logged it. Reload the page, or come back later."
}

const refused: Words = {
  title: "We can't read that address",
  said: "Check the address for typos, go back, or search for what you were looking for.",
  more: searchField
}

/** Returns the page that tells a reader of a failure, by the status of the answer. */
export const errorPageOf = (status: number): Page => {
  const { more, said, title } = words[status] ?? (status < 500 ? refused : broken)
  return {
    title,
    isIndexed: false,
    main: html`<div>
      <p class="kicker">${status}</p>
      <h1>${title}</h1>
      <p class="lede">${said}</p>
      ${more}
      <p class="note"><a href="/">See the newest posts</a></p>
    </div>`
  }
}
