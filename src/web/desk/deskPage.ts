import type { AboutPrice } from "../../platform/nano/aboutMoney.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { buttonTo, formPage } from "../../platform/pages/messagePage.ts"
import type { OwnPost } from "../../publishing/posts/ownPosts.sql.ts"
import { deskMenu } from "../browser/deskMenu.ts"
import { DESK, PURCHASES } from "../browser/paths.ts"
import { payoutPath } from "../payout/payoutPage.ts"
import { profilePath } from "../profile/profilePage.ts"
import { xnoAbout } from "../sales/salesAmounts.ts"
import { salesPath } from "../sales/salesPage.ts"
import { writePath } from "../write/writePage.ts"
import { stateOf, titleOf } from "./deskPost.ts"
import { postsPath } from "./postsPage.ts"

interface DeskView {
  /** The newest posts and drafts. */
  readonly posts: ReadonlyArray<OwnPost>
  readonly hasMore: boolean
  /** True while the account has its original name or handle. */
  readonly lacksName: boolean
  readonly lacksPayoutAddress: boolean
  /** The sum that payers sent this month, in raw. */
  readonly earnedRaw: string
  /** Says what an amount is worth now. */
  readonly about: AboutPrice
  readonly unread: number
  readonly isModerator: boolean
}

const missing = ({ lacksName, lacksPayoutAddress }: DeskView): Html | false =>
  (lacksName || lacksPayoutAddress) &&
  html`<section class="state">
    <p>Before you publish:</p>
    <p class="act">
      ${lacksName && html`<a href="${profilePath(DESK)}">Choose a name and a handle</a>`}
      ${lacksPayoutAddress && html`<a href="${payoutPath(DESK)}">Add a payout address</a>`}
    </p>
  </section>`

const row = (path: string, name: string, value: Html | string): Html =>
  html`<li><a href="${path}">${name}</a> <span class="size">${value}</span></li>`

const unread = ({ unread: count }: DeskView): Html =>
  row(
    `${DESK}/notifications`,
    "Notifications",
    count === 0 ? "None unread" : `${count.toLocaleString("en")} unread`
  )

const month = ({ about, earnedRaw }: DeskView): Html =>
  row(salesPath, "This month", xnoAbout(earnedRaw, about))

const rows = (name: string, all: ReadonlyArray<Html>): Html =>
  html`<section class="files" aria-label="${name}">
    <ul>
      ${all}
    </ul>
  </section>`

const post = (it: OwnPost): Html =>
  html`<li>
    <a href="${writePath(it.id)}">${titleOf(it)}</a>
    <span class="size">${stateOf(it)}</span>
  </li>`

/** Begins with the numbers and posts of an account that writes. */
const writing = (view: DeskView): Html =>
  html`${missing(view)}${buttonTo(writePath(), "New post")}${rows("News", [month(view), unread(view)])}
    <section class="files" aria-labelledby="posts">
      <h2 class="label" id="posts">Your newest posts</h2>
      <ul>
        ${view.posts.map(post)}
      </ul>
    </section>
    <p class="note">
      <a href="${postsPath}">${view.hasMore ? "All your posts" : "Search and sort your posts"}</a>
    </p>`

/** Begins with the reading of an account that has not written yet. */
const reading = (view: DeskView): Html =>
  html`${rows("Reading", [
      row(PURCHASES, "Purchases", "Posts you bought"),
      row(`${DESK}/following`, "Following", "New posts by authors you follow"),
      unread(view),
      ...(view.earnedRaw === "0" ? [] : [month(view)])
    ])}
    <p class="lede">You haven't written anything yet.</p>
    ${missing(view)}${buttonTo(writePath(), "New post")}`

/** Returns the page from which an account reaches everything of theirs. */
export const deskPage = (view: DeskView): Page =>
  formPage({
    title: "Your desk",
    content: html`${deskMenu(DESK, view.isModerator)}${view.posts.length === 0 ? reading(view) : writing(view)}
      <p class="note">
        <a href="${payoutPath(DESK)}">Payout address</a> · <a href="/give">Gifts</a> ·
        <a href="/sign-out">Sign out</a>
      </p>`
  })
