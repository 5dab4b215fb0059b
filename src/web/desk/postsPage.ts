import type { PostFilter, PostSort } from "../../engagement/desk/PostChoice.ts"
import type { PostLine } from "../../engagement/desk/postTable.sql.ts"
import { hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { buttonTo, formPage } from "../../platform/pages/messagePage.ts"
import { deskMenu } from "../browser/deskMenu.ts"
import { DESK } from "../browser/paths.ts"
import { IMPORT } from "../imports/paths.ts"
import { pager } from "../pages/parts/pager.ts"
import { WORDS_MAX } from "../pages/parts/searchWords.ts"
import { UNPUBLISHED } from "../publish/publishPage.ts"
import { writePath } from "../write/writePage.ts"
import { postsTable } from "./postsTable.ts"

/** The path of the table of an author's own posts. */
const postsPath = `${DESK}/posts` as const

/** The posts that an author asks for, and their order. */
export interface PostsChoice {
  readonly show: PostFilter | undefined
  readonly sort: PostSort | undefined
  /** The words as the author wrote them; empty for all posts. */
  readonly q: string
}

interface PostsView extends PostsChoice {
  readonly posts: ReadonlyArray<PostLine>
  /** The address of the service, with which links to posts begin. */
  readonly baseUrl: string
  /** True for a moderator, whose menu leads to the room of moderators. */
  readonly isModerator: boolean
  /** The outcome of a form of the table. */
  readonly done: string | null
  /** The query of this page. */
  readonly query: string
  /** The path of the next page, and of the first. */
  readonly next: string | null
  readonly first: string | null
}

/** Returns the path of a table of posts, after one of them. */
export const postsTarget = ({ q, show, sort }: PostsChoice, after?: string): string => {
  const parameters = new URLSearchParams({
    ...(show === undefined ? {} : { show }),
    ...(sort === undefined ? {} : { sort }),
    ...(q === "" ? {} : { q }),
    ...(after === undefined ? {} : { after })
  }).toString()
  return parameters === "" ? postsPath : `${postsPath}?${parameters}`
}

/** The outcomes of forms of the table. */
const told = new Map([
  ["save", "The new price is saved."],
  ["unpublish", UNPUBLISHED]
])

const FILTERS = [
  { show: undefined, name: "All" },
  { show: "draft", name: "Drafts" },
  { show: "free", name: "Free" },
  { show: "paid", name: "Paid" }
] as const

const filters = ({ q, show: chosen, sort }: PostsView): Html =>
  html`<nav aria-label="Filter">
    <ul class="chips">
      ${FILTERS.map(({ name, show }) => {
        const path = postsTarget({ q, show, sort })
        return html`<li>
          ${show === chosen ? html`<a href="${path}" aria-current="page">${name}</a>` : html`<a href="${path}">${name}</a>`}
        </li>`
      })}
    </ul>
  </nav>`

const search = ({ q, show, sort }: PostsView): Html =>
  html`<search>
    <form class="find" action="${postsPath}">
      ${show !== undefined && hidden("show", show)}${sort !== undefined && hidden("sort", sort)}<label
        class="sr"
        for="q"
        >Words of the title</label
      ><input
        type="search"
        id="q"
        name="q"
        value="${q}"
        placeholder="Search your titles"
        maxlength="${String(WORDS_MAX)}"
        dir="auto"
        autocomplete="off"
      /><button class="button" type="submit">Search</button>
    </form>
  </search>`

const nothing = ({ first, q, show }: PostsView): string => {
  if (first !== null) return "There are no more posts."
  if (q !== "") return "None of your titles contain all of these words."
  if (show === "draft") return "You have no drafts."
  return show === undefined ? "You haven't written anything yet." : `You have no ${show} posts yet.`
}

/** Returns the table of an author's own posts. */
export const postsPage = (view: PostsView): Page => {
  const { baseUrl, done, first, next, posts, q, query, show, sort } = view
  const said = told.get(done ?? "")
  const table = {
    posts,
    sort,
    baseUrl,
    query,
    sortedBy: (by: PostSort | undefined) => postsTarget({ q, show, sort: by })
  }
  return formPage({
    title: "Your posts",
    isWide: true,
    content: html`${deskMenu(postsPath, view.isModerator)}${said !== undefined && outcome(said)}${buttonTo(writePath(), "New post")}
      <p class="note"><a href="${IMPORT}">Bring posts from elsewhere</a></p>
      ${filters(view)}${search(view)}${
        posts.length === 0 ? html`<p class="lede">${nothing(view)}</p>` : postsTable(table)
      }${pager(next, first)}
      <p id="live" class="sr" role="status"></p>`
  })
}
