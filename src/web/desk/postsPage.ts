import type { PostStatus } from "../../../schemas/publishing/posts/Post.ts"
import { hidden } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { buttonTo, formPage } from "../../platform/pages/messagePage.ts"
import type { OwnPost } from "../../publishing/posts/ownPosts.sql.ts"
import { deskMenu } from "../browser/deskMenu.ts"
import { DESK } from "../browser/paths.ts"
import { giftsPath } from "../gifts/issue/giftsPath.ts"
import { pager } from "../pages/parts/pager.ts"
import { deleteForm, publishPath, writePath } from "../write/writePage.ts"
import { stateOf, titleOf } from "./deskPost.ts"

/** The path of the list of an author's own posts. */
export const postsPath = `${DESK}/posts` as const

/** The posts that an author asks for. */
export interface PostsFilter {
  readonly status: PostStatus | undefined
  /** The words as the author wrote them; empty for all posts. */
  readonly q: string
}

interface PostsView extends PostsFilter {
  readonly posts: ReadonlyArray<OwnPost>
  /** The address of the service, with which links to posts begin. */
  readonly baseUrl: string
  /** True for a moderator, whose menu leads to the room of moderators. */
  readonly isModerator: boolean
  /** The path of the next page, and of the first. */
  readonly next: string | null
  readonly first: string | null
}

/** Returns the path of a list of posts, after one of them. */
export const postsTarget = ({ q, status }: PostsFilter, after?: string): string => {
  const parameters = new URLSearchParams({
    ...(status === undefined ? {} : { status }),
    ...(q === "" ? {} : { q }),
    ...(after === undefined ? {} : { after })
  }).toString()
  return parameters === "" ? postsPath : `${postsPath}?${parameters}`
}

const STATUSES = [
  { status: undefined, name: "All" },
  { status: "draft", name: "Drafts" },
  { status: "published", name: "Published" }
] as const

const filters = ({ q, status: chosen }: PostsView): Html =>
  html`<nav aria-label="Status">
    <ul class="chips">
      ${STATUSES.map(({ name, status }) => {
        const path = postsTarget({ q, status })
        return html`<li>
          ${status === chosen ? html`<a href="${path}" aria-current="page">${name}</a>` : html`<a href="${path}">${name}</a>`}
        </li>`
      })}
    </ul>
  </nav>`

const search = ({ q, status }: PostsView): Html =>
  html`<search>
    <form class="find" action="${postsPath}">
      ${status !== undefined && hidden("status", status)}<label class="sr" for="q">Words of the title</label
      ><input
        type="search"
        id="q"
        name="q"
        value="${q}"
        placeholder="Search your titles"
        maxlength="200"
        dir="auto"
        autocomplete="off"
      /><button class="button" type="submit">Search</button>
    </form>
  </search>`

const copyLink = (post: OwnPost, baseUrl: string): Html =>
  html`<button class="button quiet" type="button" data-copy="${baseUrl}/@${post.handle}/${post.slug}" hidden>
    Copy link<span class="sr"> to ${titleOf(post)}</span>
  </button>`

const about = (post: OwnPost): Html => html`<span class="sr"> ${titleOf(post)}</span>`

const actions = (post: OwnPost, baseUrl: string): Html =>
  post.status === "draft"
    ? html`${!post.is_withdrawn && html`<a href="${publishPath(post.id)}">Publish${about(post)}</a>`}
      ${deleteForm(post.id, titleOf(post))}`
    : html`<a href="/@${post.handle}/${post.slug}">Read${about(post)}</a>
        <a href="${publishPath(post.id)}">Unpublish${about(post)}</a>
        ${post.price_raw !== null && html`<a href="${giftsPath(post.id)}">Give${about(post)}</a>`}
        ${copyLink(post, baseUrl)}`

const item = (post: OwnPost, baseUrl: string): Html =>
  html`<li>
    <a href="${writePath(post.id)}">${titleOf(post)}</a>
    <span class="size">${stateOf(post)}</span>
    <div class="act"><a href="${writePath(post.id)}">Edit${about(post)}</a> ${actions(post, baseUrl)}</div>
  </li>`

const nothing = ({ q, status }: PostsView): string => {
  if (q !== "") return "None of your titles contain all of these words."
  if (status === "draft") return "You have no drafts."
  return status === "published" ? "You haven't published anything yet." : "You haven't written anything yet."
}

/** Returns the list of an author's own posts. */
export const postsPage = (view: PostsView): Page => {
  const { baseUrl, first, next, posts } = view
  return formPage({
    title: "Your posts",
    content: html`${deskMenu(postsPath, view.isModerator)}${filters(view)}${search(view)}${
        posts.length === 0
          ? html`<p class="lede">${nothing(view)}</p>`
          : html`<section class="files" aria-label="Posts">
              <ul>
                ${posts.map((post) => item(post, baseUrl))}
              </ul>
            </section>`
      }${pager(next, first)}${buttonTo(writePath(), "New post")}
      <p id="live" class="sr" role="status"></p>`
  })
}
