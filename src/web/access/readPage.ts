import type { AccessVia } from "../../../schemas/payments/access/Access.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { Author } from "../../../schemas/publishing/discovery/Discovery.ts"
import { field, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { buttonTo, messagePage } from "../../platform/pages/messagePage.ts"
import { giftsPath } from "../gifts/issue/giftsPath.ts"
import { authorPath, face, person } from "../pages/parts/people.ts"
import { day } from "../pages/parts/values.ts"

/** A file that the reader of a Post may have. */
interface FileView {
  readonly name: string
  readonly bytes: number
  /** Null while it is not ready. */
  readonly path: string | null
}

/** A whole Post as its reader sees it. */
interface ReadView {
  readonly id: PostId
  readonly path: string
  readonly title: string
  readonly text: Html
  readonly language: string
  readonly via: AccessVia
  /** True when this browser has a receipt, which its reader may save. */
  readonly hasReceipt: boolean
  /** True if the reader's account has access to the text without this browser's receipt. */
  readonly isKept: boolean
  readonly files: ReadonlyArray<FileView>
  /** The public page; null for a Post that its author has withdrawn. */
  readonly post: {
    readonly url: string
    readonly description: string
    readonly publishedAt: string
    readonly author: typeof Author.Type
  } | null
}

const KILO = 1000

/** Returns a number of bytes as people say it. */
const sizeOf = (bytes: number): string => {
  if (bytes < KILO) return `${bytes} bytes`
  const [size, unit] = bytes < KILO * KILO ? [bytes / KILO, "kB"] : [bytes / (KILO * KILO), "MB"]
  return `${size.toLocaleString("en", { maximumFractionDigits: size < 10 ? 1 : 0 })} ${unit}`
}

const files = ({ files: all }: ReadView): Html | false =>
  all.length > 0 &&
  html`<section class="files" lang="en" dir="ltr" aria-labelledby="files">
    <h2 class="label" id="files">Files</h2>
    <ul>
      ${all.map(
        ({ bytes, name, path }) =>
          html`<li>
            ${path === null ? html`<bdi>${name}</bdi>` : html`<a href="${path}" download><bdi>${name}</bdi></a>`}
            <span class="size">${path === null ? "is checked: look again soon" : sizeOf(bytes)}</span>
          </li>`
      )}
    </ul>
  </section>`

const WORDS: Readonly<Record<AccessVia, string>> = {
  author: "This is your own Post, as its readers see it.",
  free: "This Post is free.",
  gift: "This was given to you.",
  payment: "You bought this.",
  purchase: "You bought this: your account keeps it.",
  receipt: "You bought this, or it was given to you."
}

/** Kinds of access that an account can take over from the receipt of a browser. */
const isTakenAlong = ({ hasReceipt, isKept, via }: ReadView): boolean =>
  hasReceipt && !isKept && (via === "receipt" || via === "gift")

const keep = (view: ReadView): Html => {
  const { hasReceipt, id, isKept, path, via } = view
  return html`<section class="keep" lang="en" dir="ltr" aria-labelledby="keep">
    <h2 class="label" id="keep">Keep this</h2>
    <p>
      ${via === "gift" && isKept ? "This was given to you: your account keeps it." : WORDS[via]}${hasReceipt && " This browser holds your receipt for a year. Save it to read anywhere else, and keep it to yourself: it opens the text for everyone who has it."}
    </p>
    ${
      hasReceipt &&
      html`<p class="act"><a class="button quiet" href="${path}/receipt" download>Save the receipt</a></p>`
    }${
      via === "author" &&
      html`<p class="act"><a class="button quiet" href="${giftsPath(id)}">Give it to readers</a></p>`
    }${
      isTakenAlong(view) &&
      html`<form class="act" method="post" action="${path}/account">
        <button class="button quiet" type="submit">Add it to my account</button>
      </form>`
    }
  </section>`
}

const byline = ({ language, post }: ReadView): Html | false =>
  post !== null &&
  html`<div class="byline" lang="en" dir="ltr">
    ${face(post.author)}
    <div>
      <p>${person(post.author)}</p>
      <p class="meta">${day(post.publishedAt, language)}</p>
    </div>
  </div>`

const onwards = ({ post, via }: ReadView): Html =>
  post === null
    ? html`<p class="note" lang="en">
        The author has withdrawn this Post. You still read what
        ${via === "gift" ? "was given to you" : "you bought"}.
      </p>`
    : html`<p class="note" lang="en">
        <a href="${post.url}#comments">Comments and reactions</a> ·
        <a href="${authorPath(post.author.handle)}">More by <bdi>${post.author.name}</bdi></a>
      </p>`

/** Returns the page of a whole text for its reader. */
export const readPage = (view: ReadView): Page => ({
  title: view.title,
  language: view.language,
  isIndexed: false,
  main: html`<article class="post">
      <header>
        <p class="kicker" lang="en">The whole text</p>
        <h1 dir="auto">${view.title}</h1>
        ${view.post !== null && view.post.description !== "" && html`<p class="lede" dir="auto">${view.post.description}</p>`}${byline(view)}
      </header>
      <div class="prose" dir="auto">${view.text}</div>
      ${files(view)}
    </article>
    ${keep(view)}${onwards(view)}`
})

/** Tells a reader that another account has what this browser bought or was given. */
export const otherAccountPage = (path: string): Page =>
  messagePage({
    title: "Another account has it",
    said: "The text of this receipt was added to another account. This browser can still open it.",
    more: buttonTo(path, "Read")
  })

/** A text that this browser cannot open. */
interface LockedView {
  readonly path: string
  readonly post: { readonly title: string; readonly url: string } | null
  /** True after a receipt that does not open it. */
  readonly isRefused: boolean
  /** The reason for which a gift did not open it. */
  readonly gift: string | undefined
}

/** Returns the page that asks for a receipt. */
export const lockedPage = ({ gift, isRefused, path, post }: LockedView): Page => ({
  title: "A purchased text · Pennypress",
  isIndexed: false,
  main: html`<div class="message">
    <h1>${gift === undefined ? "This browser has no receipt for it" : "This gift opens nothing here"}</h1>
    ${gift !== undefined && outcome(gift)}
    <p class="lede">
      Open it in the browser that ${gift === undefined ? "paid" : "has it"}, or enter the receipt that you
      saved.${post !== null && html` Not bought yet? <a href="${post.url}">Begin with “<bdi>${post.title}</bdi>”</a>.`}
    </p>
    <form class="fields" method="post" action="${path}">
      ${field({
        name: "receipt",
        label: "Receipt",
        hint: "It begins with ppr_.",
        wrong:
          isRefused && "This receipt does not open this text. Copy the whole line that begins with ppr_.",
        control: ({ by, isInvalid }) =>
          html`<input
            id="receipt"
            name="receipt"
            type="text"
            required
            maxlength="100"
            autocomplete="off"
            spellcheck="false"
            aria-describedby="${by}"
            aria-invalid="${isInvalid}"
          />`
      })}<button class="button" type="submit">Read</button>
    </form>
  </div>`
})
