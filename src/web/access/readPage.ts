import type { AccessVia } from "../../../schemas/payments/access/Access.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { Author } from "../../../schemas/publishing/discovery/Discovery.ts"
import { field, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { buttonTo, formPage, messagePage } from "../../platform/pages/messagePage.ts"
import type { PageHeading } from "../../publishing/content/html/pageText.ts"
import { emailField } from "../browser/codeForm.ts"
import { signInPath } from "../browser/paths.ts"
import { giftsPath } from "../gifts/issue/giftsPath.ts"
import { contents } from "../pages/parts/contents.ts"
import { authorPath, face, person } from "../pages/parts/people.ts"
import { day, sizeOf } from "../pages/parts/values.ts"
import { wordsIn } from "../pages/words/wordsIn.ts"

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
  readonly headings: ReadonlyArray<PageHeading>
  readonly language: string
  readonly via: AccessVia
  /** The link that opens the text in any browser; null when this browser has no receipt, which its reader may save. */
  readonly privateLink: string | null
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

const files = ({ files: all }: ReadView): Html | false =>
  all.length > 0 &&
  html`<section class="files" lang="en" dir="ltr" aria-labelledby="files">
    <h2 class="label" id="files">Files</h2>
    <ul>
      ${all.map(
        ({ bytes, name, path }) =>
          html`<li>
            ${path === null ? html`<bdi>${name}</bdi>` : html`<a href="${path}" download><bdi>${name}</bdi></a>`}
            <span class="size"
              >${path === null ? "is being scanned. Check back in a minute." : sizeOf(bytes)}</span
            >
          </li>`
      )}
    </ul>
  </section>`

const WORDS: Readonly<Record<AccessVia, string>> = {
  author: "This is your own post, as readers see it.",
  free: "This post is free.",
  gift: "This was a gift to you.",
  payment: "You bought this.",
  purchase: "You bought this. It's in your account.",
  receipt: "You bought this, or it was a gift to you."
}

/** Tells if the receipt of a browser is the only access of its reader, which an account can take over. */
export const isTakenAlong = ({
  isKept,
  privateLink,
  via
}: Pick<ReadView, "isKept" | "privateLink" | "via">): boolean =>
  privateLink !== null && !isKept && (via === "receipt" || via === "gift")

/** Stands above the text, because the receipt is lost with the cookie of the browser. */
const takeAlong = (view: ReadView): Html | false =>
  isTakenAlong(view) &&
  html`<section class="keep" lang="en" dir="ltr" aria-labelledby="take">
    <h2 class="label" id="take">Keep it</h2>
    <p>
      Your private link opens this post on any device. Keep it to yourself: anyone who has it can read the
      post and add it to their account. Or add the post to your account, and read it in every browser.
    </p>
    <form class="act" method="post" action="${view.path}/account">
      <button class="button quiet" type="button" data-copy="${view.privateLink ?? ""}" hidden>
        Copy your private link</button
      ><button class="button quiet" type="submit">Add to my account</button>
    </form>
    <details>
      <summary>Email it to me</summary>
      ${mailForm(view.path)}
    </details>
  </section>`

/** The form that mails the private link of a text to an address. */
const mailForm = (path: string, typed = "", isWrong = false): Html =>
  html`<form class="fields" method="post" action="${path}/mail">
    ${emailField("Your email address", "We use it for this email alone.", isWrong, typed)}<button
      class="button"
      type="submit"
    >
      Email my private link
    </button>
  </form>`

/** Asks again for the address to which a private link goes. */
export const wrongAddressPage = (path: string, address: string): Page =>
  formPage({ title: "Email your private link", content: mailForm(path, address, true) })

/** Tells a reader that a limit keeps their private link from being mailed, with the address that they typed. */
export const mailedLaterPage = (path: string, address: string): Page =>
  formPage({
    title: "Email your private link",
    content: html`${outcome("We've sent many emails. Nothing was sent this time: try again in an hour.")}${mailForm(path, address)}`
  })

/** Tells a reader that their private link was mailed. */
export const mailedPage = (path: string, address: string): Page =>
  messagePage({
    title: "Your private link is on its way",
    said: `We're emailing it to ${address}. Keep it to yourself: anyone who has it can read the post and add it to their account.`,
    more: buttonTo(`${path}#rest`, "Read on")
  })

const keep = (view: ReadView): Html => {
  const { id, isKept, path, privateLink, via } = view
  const hasReceipt = privateLink !== null
  return html`<section class="keep" lang="en" dir="ltr" aria-labelledby="keep">
    <h2 class="label" id="keep">${hasReceipt ? "Your receipt" : "Keep this"}</h2>
    <p>
      ${via === "gift" && isKept ? "This was a gift to you. It's in your account." : WORDS[via]}${hasReceipt && " This browser keeps your receipt for a year. Save it to read anywhere else, and keep it to yourself: anyone who has it can read the post and add it to their account."}
    </p>
    ${
      hasReceipt &&
      html`<p class="act"><a class="button quiet" href="${path}/receipt" download>Save receipt</a></p>`
    }${
      via === "author" &&
      html`<p class="act"><a class="button quiet" href="${giftsPath(id)}">Give to readers</a></p>`
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
        The author has withdrawn this post. You can still read what
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
        <p class="kicker" lang="en">Full text</p>
        <h1 dir="auto">${view.title}</h1>
        ${view.post !== null && view.post.description !== "" && html`<p class="lede" dir="auto">${view.post.description}</p>`}${byline(view)}
      </header>
      ${takeAlong(view)}${contents(view.headings, wordsIn(view.language))}
      <div class="prose" dir="auto">${view.text}</div>
      ${files(view)}${view.post !== null && html`<p class="note printed" dir="ltr">${view.post.url}</p>`}
    </article>
    ${keep(view)}${onwards(view)}`
})

/** Tells a reader that another account has what this browser bought or was given. */
export const otherAccountPage = (path: string): Page =>
  messagePage({
    title: "It's in another account",
    said: "The post for this receipt was added to another account. You can still read it in this browser.",
    more: buttonTo(path, "Read")
  })

/** A text that this browser cannot open. */
interface LockedView {
  readonly path: string
  /** True for a reader with an account, which does not have the text. */
  readonly isSignedIn: boolean
  readonly post: { readonly title: string; readonly url: string } | null
  /** True after a receipt that does not open it. */
  readonly isRefused: boolean
  /** The reason for which a gift did not open it. */
  readonly gift: string | undefined
}

/** Returns the page that asks for a receipt. */
export const lockedPage = ({ gift, isRefused, isSignedIn, path, post }: LockedView): Page => ({
  title: "Purchased post",
  isIndexed: false,
  main: html`<div class="message">
    <h1>${gift === undefined ? "No receipt in this browser" : "This gift can't be opened here"}</h1>
    ${gift !== undefined && outcome(gift)}
    ${
      isSignedIn
        ? html`<p class="note">It isn't in your account.</p>`
        : html`<p class="note">Is it in your account? <a href="${signInPath(path)}">Sign in</a></p>`
    }
    <p class="lede">
      Open it in the browser ${gift === undefined ? "you paid with" : "that has it"}, or enter the receipt you
      saved.${post !== null && html` Haven't bought it yet? <a href="${post.url}">Start with “<bdi>${post.title}</bdi>”</a>.`}
    </p>
    <form class="fields" method="post" action="${path}">
      ${field({
        name: "receipt",
        label: "Receipt",
        hint: "It starts with ppr_, and is the part of your private link after the #.",
        wrong: isRefused && "This receipt doesn't open this post. Copy the whole line that starts with ppr_.",
        control: ({ by, isInvalid }) =>
          html`<input
            id="receipt"
            name="receipt"
            type="text"
            required
            maxlength="500"
            autocomplete="off"
            spellcheck="false"
            aria-describedby="${by}"
            aria-invalid="${isInvalid}"
            data-fragment
          />`
      })}<button class="button" type="submit">Read</button>
    </form>
  </div>`
})
