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
    title: "There is no such page",
    said: "The address may have a mistake, or its author has withdrawn the Post.",
    more: searchField
  },
  405: { title: "This page is only for reading", said: "Go back, and follow a link to it." },
  429: {
    title: "Too many requests",
    said: "Your network requested many pages within a minute. Wait a moment, then load the page again."
  },
  503: {
    title: "One moment, please",
    said: "The service is starting, or very busy. Nothing is lost. Load the page again in a few seconds."
  }
}

const broken: Words = {
  title: "Something went wrong here",
  said: "This is our mistake, and it was logged. Load the page again, or come back later."
}

const refused: Words = {
  title: "This address cannot be read",
  said: "It contains a mistake. Go back, or search for what you wanted.",
  more: searchField
}

/** Returns the page that tells a reader of a failure, by the status of the answer. */
export const errorPageOf = (status: number): Page => {
  const { more, said, title } = words[status] ?? (status < 500 ? refused : broken)
  return {
    title: `${title} · Pennypress`,
    isIndexed: false,
    main: html`<div>
      <p class="kicker">${status}</p>
      <h1>${title}</h1>
      <p class="lede">${said}</p>
      ${more}
      <p class="note"><a href="/">Go to the newest Posts</a></p>
    </div>`
  }
}
