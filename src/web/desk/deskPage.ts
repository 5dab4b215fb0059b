import { isGeneratedHandle, isReservedName } from "../../../schemas/accounts/profile/reserved.ts"
import type { EarningsOfPost } from "../../../schemas/payments/finance/Finance.ts"
import type { DeskNumbers } from "../../engagement/desk/deskNumbers.sql.ts"
import type { AboutPrice } from "../../platform/nano/aboutMoney.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { buttonTo, formPage } from "../../platform/pages/messagePage.ts"
import type { Draft } from "../../publishing/posts/ownPosts.sql.ts"
import { deskMenu } from "../browser/deskMenu.ts"
import { DESK, PURCHASES, RECEIVED_COMMENTS, receivedCommentsPath } from "../browser/paths.ts"
import { IMPORT } from "../imports/paths.ts"
import { counted, day, titleText } from "../pages/parts/values.ts"
import { payoutPath } from "../payout/payoutPage.ts"
import { profilePath } from "../profile/profilePage.ts"
import { xno, xnoAbout } from "../sales/salesAmounts.ts"
import { salesPath } from "../sales/salesPage.ts"
import { writePath } from "../write/writePage.ts"
import type { Home } from "./home.ts"
import { postsTarget } from "./postsPage.ts"
import { titleOf } from "./postsTable.ts"
import { readsPath } from "./readsPage.ts"
import { scheduleText } from "./scheduleText.ts"

export interface DeskView extends Home {
  /** Says what an amount is worth now. */
  readonly about: AboutPrice
  readonly isModerator: boolean
}

/** Asks once, from the first sale on, whether rankings may show what an author earns. */
const rankings = ({ numbers: { is_rankings_choice_open } }: DeskView): Html | false =>
  is_rankings_choice_open &&
  html`<section class="state">
    <p>
      You've earned your first XNO. May <a href="/leaderboards">rankings</a> show your name and what you earn?
    </p>
    <form class="act" method="post" action="${DESK}/profile/rankings">
      <button class="button quiet" type="submit" name="show" value="yes">Show me</button>
      <button class="button quiet" type="submit" name="show" value="no">Keep it private</button>
    </form>
  </section>`

const NOTIFICATIONS = `${DESK}/notifications` as const

/** Comments to answer that are counted. */
const TO_ANSWER_MAX = 99

const missing = ({ numbers: { handle, has_payout_address, name } }: DeskView): Html | false => {
  const lacksName = isReservedName(name) || isGeneratedHandle(handle)
  return (
    (lacksName || !has_payout_address) &&
    html`<section class="state">
      <p>Before you publish:</p>
      <p class="act">
        ${lacksName && html`<a href="${profilePath(DESK)}">Choose a name and a handle</a>`}
        ${!has_payout_address && html`<a href="${payoutPath(DESK)}">Add a payout address</a>`}
      </p>
    </section>`
  )
}

/** Compares the income of this month with that of the same days of last month. */
const change = ({ earned_before_raw, earned_raw }: DeskNumbers): Html => {
  const [present, before] = [BigInt(earned_raw), BigInt(earned_before_raw)]
  if (before === 0n) return html`None in the same days of last month`
  if (present === before) return html`The same as in these days of last month`
  return html`${present > before ? "Up" : "Down"} from ${xno(earned_before_raw)} XNO in the same days of last
  month`
}

const PERCENT = { style: "percent", maximumFractionDigits: 1 } as const

/** Returns the share of reads that ended with a sale. A program may buy a post that it never opened. */
const share = ({ reads, sales }: DeskNumbers): Html | string => {
  if (sales === 0) return "None of them bought a post"
  return sales > reads
    ? counted(sales, "sale")
    : html`${counted(sales, "sale")}: ${(sales / reads).toLocaleString("en", PERCENT)} of reads`
}

const number = (path: string, shown: Html | string, name: string, more: Html | string): Html =>
  html`<li>
    <a href="${path}"><strong>${shown}</strong> ${name}</a>
    <span class="hint">${more}</span>
  </li>`

/** The three numbers that say how it goes, each a link to what it is made of. */
const numbers = ({ about, numbers: all }: DeskView): Html => {
  const { reads, to_answer } = all
  const waiting = to_answer > TO_ANSWER_MAX ? `${TO_ANSWER_MAX}+` : String(to_answer)
  return html`<section aria-label="Numbers">
    <ul class="numbers">
      ${number(salesPath, xnoAbout(all.earned_raw, about), "this month", change(all))}${number(
        postsTarget({ q: "", show: undefined, sort: "reads" }),
        reads.toLocaleString("en"),
        reads === 1 ? "read this month" : "reads this month",
        reads === 0 && all.sales === 0 ? "People and agents" : share(all)
      )}${number(
        RECEIVED_COMMENTS,
        waiting,
        to_answer === 1 ? "comment to answer" : "comments to answer",
        to_answer === 0 ? "You're all caught up" : "Reply, or react to it"
      )}
    </ul>
  </section>`
}

const quoted = (title: string | null): Html => html`<cite><bdi>${titleText(title)}</bdi></cite>`

/** Says what readers paid for a post, or for comments and the profile. */
const paid = ({ postId, sales, tips, title }: EarningsOfPost): ReadonlyArray<Html> => {
  const where = postId === null ? salesPath : readsPath(postId)
  const of = (said: Html, raw: string) => html`<li><a href="${where}">${said}</a>, ${xno(raw)} XNO</li>`
  return [
    ...(sales.count === 0
      ? []
      : [of(html`${counted(sales.count, "reader")} bought ${quoted(title)}`, sales.grossRaw)]),
    ...(tips.count === 0
      ? []
      : [
          of(
            html`${counted(tips.count, "tip")}
            ${postId === null ? "on your comments and profile" : html`for ${quoted(title)}`}`,
            tips.grossRaw
          )
        ])
  ]
}

/** Tells what happened since yesterday, grouped by post and kind. */
const news = ({ hasMoreSold, numbers: { commented, followers }, sold, unread }: DeskView): Html => {
  const lines = [
    ...sold.flatMap(paid),
    ...(hasMoreSold ? [html`<li><a href="${salesPath}">Sales of more posts</a></li>`] : []),
    ...commented.map(
      (it) =>
        html`<li>
          <a href="${receivedCommentsPath({ isAll: true, post: it.id })}"
            >${counted(it.comments, "comment")} on ${quoted(it.title)}</a
          >
        </li>`
    ),
    ...(followers === 0
      ? []
      : [html`<li><a href="${NOTIFICATIONS}?all">${counted(followers, "new follower")}</a></li>`])
  ]
  return html`<section aria-labelledby="news">
    <h2 class="label" id="news">Since yesterday</h2>
    ${
      lines.length === 0
        ? html`<p>Nothing new.</p>`
        : html`<ul class="plain">
            ${lines}
          </ul>`
    }
    <p class="note">
      <a href="${NOTIFICATIONS}"
        >${unread === 0 ? "Notifications" : counted(unread, "unread notification")}</a
      >
    </p>
  </section>`
}

const stateOf = (draft: Draft): Html | false => {
  const { is_returning, is_withdrawn } = draft
  if (is_withdrawn) return html`<span class="tag">Taken off the site by our moderators</span> `
  const scheduled = scheduleText(draft)
  if (scheduled !== undefined) return html`${scheduled} · `
  return is_returning && html`<span class="tag">Back on the site in a few minutes</span> `
}

const draft = (it: Draft): Html =>
  html`<li>
    <a href="${writePath(it.id)}">${titleOf(it)}</a>
    <p dir="auto">${it.excerpt === "" ? "No text that everyone may read yet" : it.excerpt}</p>
    <span class="hint">${stateOf(it)}Edited ${day(it.edited_at, "en")}</span>
  </li>`

const drafts = ({ drafts: all, hasMoreDrafts }: DeskView): Html =>
  html`<section aria-labelledby="drafts">
    <h2 class="label" id="drafts">Your drafts</h2>
    ${
      all.length === 0
        ? html`<p>None.</p>`
        : html`<ul class="plain">
            ${all.map(draft)}
          </ul>`
    }
    <p class="note">
      ${
        hasMoreDrafts &&
        html`<a href="${postsTarget({ q: "", show: "draft", sort: undefined })}">All your drafts</a> · `
      }<a href="${DESK}/posts">All your posts</a>
    </p>
  </section>`

/** Begins with how it goes for an account that writes. */
const writing = (view: DeskView): Html =>
  html`${missing(view)}${numbers(view)}${rankings(view)}${buttonTo(writePath(), "New post")}${news(view)}${drafts(view)}`

const row = (path: string, name: string, value: Html | string): Html =>
  html`<li><a href="${path}">${name}</a> <span class="size">${value}</span></li>`

/** Begins with the reading of an account that has not written yet. */
const reading = (view: DeskView): Html => {
  const { about, numbers: all, unread } = view
  return html`<section class="files" aria-label="Reading">
      <ul>
        ${row(PURCHASES, "Library", "Posts you bought")}${row(`${DESK}/following`, "Following", "New posts by authors you follow")}${row(
          NOTIFICATIONS,
          "Notifications",
          unread === 0 ? "None unread" : `${unread.toLocaleString("en")} unread`
        )}${all.earned_raw !== "0" && row(salesPath, "This month", xnoAbout(all.earned_raw, about))}
      </ul>
    </section>
    <p class="lede">You haven't written anything yet.</p>
    ${missing(view)}${buttonTo(writePath(), "New post")}
    <p class="note">
      <a href="${IMPORT}">Bring your posts</a> from Substack, Ghost, Medium, WordPress or a folder.
    </p>`
}

/** Returns the page from which an account reaches everything of theirs. */
export const deskPage = (view: DeskView): Page =>
  formPage({
    title: "Your desk",
    isWide: true,
    content: html`${deskMenu(DESK, view.isModerator)}${view.numbers.has_posts ? writing(view) : reading(view)}
      <p class="note">
        <a href="${payoutPath(DESK)}">Payout address</a> · <a href="/give">Gifts</a> ·
        <a href="/sign-out">Sign out</a>
      </p>`
  })
