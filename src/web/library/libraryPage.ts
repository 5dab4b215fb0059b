import type { Purchase } from "../../../schemas/payments/purchases/Purchase.ts"
import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { buttonTo, formPage } from "../../platform/pages/messagePage.ts"
import type { ReadyFile } from "../../publishing/posts/readyFiles.sql.ts"
import { deskMenu } from "../browser/deskMenu.ts"
import { PURCHASES } from "../browser/paths.ts"
import { pager } from "../pages/parts/pager.ts"
import { person } from "../pages/parts/people.ts"
import { amount, day, sizeOf } from "../pages/parts/values.ts"
import { readPath } from "../receipts/receipt.ts"

/** Number of purchases from which a reader can search them. */
const SEARCHED_MIN = 20

interface LibraryView {
  readonly purchases: ReadonlyArray<Purchase>
  /** The files of the posts on the page. */
  readonly files: ReadonlyArray<ReadyFile>
  /** The words that the purchases have; empty for all of them. */
  readonly q: string
  /** The path of the next page, and of the first. */
  readonly next: string | null
  readonly first: string | null
  /** True for a moderator, whose menu leads to the room of moderators. */
  readonly isModerator: boolean
}

/** Returns the path of the page that shows the purchases with these words behind a cursor. */
export const libraryTarget = (q: string, after: string | null): string => {
  const members = Object.entries({ q, after: after ?? "" }).filter(([, value]) => value !== "")
  return members.length === 0 ? PURCHASES : `${PURCHASES}?${new URLSearchParams(members).toString()}`
}

const stateOf = ({ duplicate, refundedRaw, state }: Purchase): string => {
  if (state === "settling") return ", arriving"
  if (duplicate) return ", paid twice: ask the author for a refund"
  return refundedRaw === "0" ? "" : ", refunded"
}

const fileLink = ({ byte_size, file_name, id, post_id }: ReadyFile): Html =>
  html`<a href="${readPath(post_id)}/files/${id}" download><bdi>${file_name}</bdi></a>
    (${sizeOf(byte_size)}) `

const item = (purchase: Purchase, files: ReadonlyArray<ReadyFile>): Html => {
  const { post, postId, priceRaw, purchasedAt, state } = purchase
  const xno = xnoOfRaw(BigInt(priceRaw))
  const own = state === "settled" ? files.filter(({ post_id }) => post_id === postId) : []
  return html`<li>
    <span
      ><bdi>${post.title}</bdi> by ${person(post.author)}<br /><span class="size"
        >${amount(xno)} XNO, ${day(purchasedAt, "en")}${stateOf(purchase)}</span
      >${own.length > 0 && html`<br />Files: ${own.map(fileLink)}`}</span
    >
    <a href="${readPath(postId)}"
      >Read<span class="sr"> <bdi>${post.title}</bdi></span></a
    >
  </li>`
}

const search = (q: string): Html =>
  html`<search>
    <form class="find" action="${PURCHASES}">
      <label class="sr" for="q">Search your purchases</label>
      <input
        type="search"
        id="q"
        name="q"
        value="${q}"
        placeholder="Title or author"
        maxlength="200"
        autocomplete="off"
      />
      <button class="button" type="submit">Search</button>
    </form>
  </search>`

const nothing = html`<p class="lede">Posts you buy while you're signed in appear here, in every browser.</p>
  ${buttonTo("/", "Find something to read")}`

const list = ({ files, purchases, q }: LibraryView): Html =>
  purchases.length === 0
    ? html`<p class="note">
        ${q === "" ? "No more purchases." : html`None of your purchases have “<bdi>${q}</bdi>” in its title or author.`}
        <a href="${PURCHASES}">All purchases</a>
      </p>`
    : html`<section class="files">
        <ul>
          ${purchases.map((purchase) => item(purchase, files))}
        </ul>
      </section>`

/** Returns the page with everything that a reader bought, in any browser. */
export const libraryPage = (view: LibraryView): Page => {
  const { first, next, purchases, q } = view
  const isWhole = q === "" && first === null
  const isSearched = !isWhole || purchases.length >= SEARCHED_MIN
  return formPage({
    title: "Your library",
    content: html`${deskMenu(PURCHASES, view.isModerator)}${isSearched && search(q)}${
      isWhole && purchases.length === 0 ? nothing : list(view)
    }${pager(next, first)}`
  })
}
