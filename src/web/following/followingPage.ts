import type { FollowingFeedState, OwnFollow } from "../../../schemas/engagement/follows/OwnFollows.ts"
import { copyField } from "../../platform/pages/copyField.ts"
import { hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { buttonTo } from "../../platform/pages/messagePage.ts"
import { deskMenu } from "../browser/deskMenu.ts"
import { DESK } from "../browser/paths.ts"
import { cards } from "../pages/parts/cards.ts"
import { followingForms, isMailed } from "../pages/parts/followForm.ts"
import { pager } from "../pages/parts/pager.ts"
import { person } from "../pages/parts/people.ts"
import type { CardView } from "../pages/parts/views.ts"
import { type MailObstacle, mailNote } from "./mailNote.ts"

/** The path of the page with the authors whom a reader follows, and their posts. */
export const followingPath = `${DESK}/following` as const

/** The outcome of a form on the page. */
export const outcomes = {
  saved: "Saved.",
  ended: "Your private feed is off. Its old address no longer works.",
  kept: "Your private feed already has an address, which we only showed once. Make a new one if you lost it."
} as const

/** A page of a list. */
interface Listed<Item> {
  readonly items: ReadonlyArray<Item>
  readonly next: string | null
}

export interface FollowingView {
  /** Null on the further pages of the other list. */
  readonly posts: Listed<CardView> | null
  readonly follows: Listed<OwnFollow> | null
  readonly isFirst: boolean
  readonly mail: MailObstacle | null
  readonly feed: FollowingFeedState["feed"]
  /** The address of the feed, if it was made just now. */
  readonly feedUrl: string | null
  readonly done: keyof typeof outcomes | null
  /** True for a moderator, whose menu leads to the room of moderators. */
  readonly isModerator: boolean
}

const posts = ({ items, next }: Listed<CardView>, isFirst: boolean): Html =>
  html`<section aria-labelledby="posts">
    <h2 class="label" id="posts">New posts</h2>
    ${items.length === 0 ? html`<p class="note">The authors you follow haven't published anything yet.</p>` : cards(items)}${pager(next, isFirst ? null : followingPath)}
  </section>`

const author = (follow: OwnFollow): Html => {
  const { author_kind: authorKind, handle, id, name } = follow.creator
  return html`<li>
    <span>${person({ name, handle, authorKind })}</span>
    ${followingForms({ id, name, handle, isMailed: isMailed(follow), isOnDesk: true })}
  </li>`
}

const authors = ({ items, next }: Listed<OwnFollow>, { isFirst, mail }: FollowingView): Html =>
  html`<section class="files" aria-labelledby="authors">
      <h2 class="label" id="authors">Authors you follow</h2>
      ${mailNote(mail)}
      <ul>
        ${items.map(author)}
      </ul>
    </section>
    ${pager(next, isFirst ? null : followingPath)}`

const feedForm = (feed: FollowingView["feed"]): Html =>
  html`<form method="post" action="${followingPath}/feed">
    ${hidden("former", feed?.id ?? "")}
    <button class="button quiet" type="submit">
      ${feed === null ? "Make a private feed" : "Make a new address"}
    </button>
  </form>`

const privateFeed = ({ feed, feedUrl }: FollowingView): Html =>
  html`<section class="keep" aria-labelledby="feed">
    <h2 class="label" id="feed">Private feed</h2>
    <p>
      Read these posts in your feed reader. Keep the address to yourself: anyone who has it sees what the
      authors you follow publish.
    </p>
    ${feedUrl !== null && copyField("Feed address", feedUrl, feedUrl)}
    ${
      feed !== null &&
      feedUrl === null &&
      html`<p class="hint">Your feed is on. We only showed its address once. A new one replaces it.</p>`
    }
    <div class="act">
      ${feedForm(feed)}${
        feed !== null &&
        html`<form method="post" action="${followingPath}/feed/end">
          <button class="button quiet" type="submit">Turn off</button>
        </form>`
      }
    </div>
  </section>`

const nothing = html`<p class="lede">Follow an author on their page, and their new posts appear here.</p>
  ${buttonTo("/newest", "Find authors to follow")}`

const told = ({ done, feedUrl }: FollowingView): Html | false => {
  if (feedUrl !== null)
    return outcome("Your private feed is ready. Copy its address now: we only show it once.")
  return done !== null && outcome(outcomes[done])
}

/** Returns the page with the new posts of the authors whom a reader follows, and the choices of each follow. */
export const followingPage = (view: FollowingView): Page => {
  const { follows, isFirst } = view
  const isEmpty = isFirst && follows?.items.length === 0
  return {
    title: "Following",
    isIndexed: false,
    main: html`<header class="message">
        <h1>Following</h1>
        ${deskMenu(followingPath, view.isModerator)}${told(view)}${isEmpty && nothing}
      </header>
      ${!isEmpty && view.posts !== null && posts(view.posts, isFirst)}${
        !isEmpty && follows !== null && authors(follows, view)
      }${isFirst && privateFeed(view)}
      <p id="live" class="sr" role="status"></p>`
  }
}
