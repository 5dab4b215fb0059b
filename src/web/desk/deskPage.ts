import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { buttonTo, formPage } from "../../platform/pages/messagePage.ts"
import { deskMenu } from "../browser/deskMenu.ts"
import { DESK } from "../browser/paths.ts"
import { pager } from "../pages/parts/pager.ts"
import { counted, day } from "../pages/parts/values.ts"
import { payoutPath } from "../payout/payoutPage.ts"
import { profilePath } from "../profile/profilePage.ts"
import { publishPath, writePath } from "../write/writePage.ts"
import type { DeskPost } from "./desk.sql.ts"

interface DeskView {
  readonly posts: ReadonlyArray<DeskPost>
  /** True while the account has its original name or handle. */
  readonly lacksName: boolean
  readonly lacksPayoutAddress: boolean
  /** The path of the next page of posts, and of the first. */
  readonly next: string | null
  readonly first: string | null
}

const missing = ({ lacksName, lacksPayoutAddress }: DeskView): Html | false =>
  (lacksName || lacksPayoutAddress) &&
  html`<section class="state">
    <p>Before you publish:</p>
    ${lacksName && html`<p><a href="${profilePath(DESK)}">Choose a name and a handle</a></p>`}${
      lacksPayoutAddress && html`<p><a href="${payoutPath(DESK)}">Say where your income goes</a></p>`
    }
  </section>`

const stateOf = (post: DeskPost): Html => {
  const price = post.price_raw === null ? "free" : `${xnoOfRaw(BigInt(post.price_raw))} XNO`
  return post.status === "draft"
    ? html`Draft, ${price}, edited on ${day(post.edited_at, "en")}`
    : html`<a href="${publishPath(post.id)}">Published</a>, ${price}, ${counted(post.purchases, "sale")},
        ${counted(post.comments, "comment")}`
}

const item = (post: DeskPost): Html =>
  html`<li>
    <a href="${writePath(post.id)}"><bdi>${post.title === "" ? "Untitled" : post.title}</bdi></a>
    <span class="size">${stateOf(post)}</span>
  </li>`

const posts = ({ first, next, posts: all }: DeskView): Html =>
  all.length === 0 && first === null
    ? html`<p class="lede">You have not written anything yet.</p>`
    : html`<section class="files" aria-labelledby="posts">
          <h2 class="label" id="posts">Your posts</h2>
          <ul>
            ${all.map(item)}
          </ul>
        </section>
        ${pager(next, first)}`

/** Returns the page that leads an author to their drafts and posts. */
export const deskPage = (view: DeskView): Page =>
  formPage({
    title: "Your desk",
    content: html`${deskMenu(DESK)}${missing(view)}${buttonTo(writePath(), "New post")}${posts(view)}
      <p class="note">
        <a href="${payoutPath(DESK)}">Payout address</a> · <a href="/give">Gifts</a> ·
        <a href="/sign-out">Sign out</a>
      </p>`
  })
