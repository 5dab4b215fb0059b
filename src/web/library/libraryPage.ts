import type { Purchase } from "../../../schemas/payments/purchases/Purchase.ts"
import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { buttonTo, formPage } from "../../platform/pages/messagePage.ts"
import { deskMenu } from "../browser/deskMenu.ts"
import { DESK } from "../browser/paths.ts"
import { pager } from "../pages/parts/pager.ts"
import { person } from "../pages/parts/people.ts"
import { amount, day } from "../pages/parts/values.ts"
import { readPath } from "../receipts/receipt.ts"

/** Returns the path of the page with everything that a reader bought. */
export const libraryPath = `${DESK}/purchases` as const

interface LibraryView {
  readonly purchases: ReadonlyArray<Purchase>
  /** The path of the next page, and of the first. */
  readonly next: string | null
  readonly first: string | null
}

const stateOf = ({ duplicate, refundedRaw, state }: Purchase): string => {
  if (state === "settling") return ", arriving"
  if (duplicate) return ", paid twice: ask the author for a refund"
  return refundedRaw === "0" ? "" : ", refunded"
}

const item = (purchase: Purchase): Html => {
  const { post, postId, priceRaw, purchasedAt } = purchase
  const xno = xnoOfRaw(BigInt(priceRaw))
  return html`<li>
    <span
      ><a href="${readPath(postId)}"><bdi>${post.title}</bdi></a> by ${person(post.author)}</span
    >
    <span class="size"> ${amount(xno)} XNO, ${day(purchasedAt, "en")}${stateOf(purchase)} </span>
  </li>`
}

/** Returns the page with everything that a reader bought, in any browser. */
export const libraryPage = ({ first, next, purchases }: LibraryView): Page =>
  formPage({
    title: "Your purchases",
    content: html`${deskMenu(libraryPath)}${
      purchases.length === 0 && first === null
        ? html`<p class="lede">Posts that you buy while you are signed in appear here, in every browser.</p>
            ${buttonTo("/", "Find something to read")}`
        : html`<section class="files">
            <ul>
              ${purchases.map(item)}
            </ul>
          </section>`
    }${pager(next, first)}`
  })
