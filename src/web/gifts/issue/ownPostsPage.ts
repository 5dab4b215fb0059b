import { type Html, html } from "../../../platform/pages/html.ts"
import type { Page } from "../../../platform/pages/layout.ts"
import { formPage } from "../../../platform/pages/messagePage.ts"
import { pager } from "../../pages/parts/pager.ts"
import { giftsPath } from "./giftsPath.ts"
import type { OwnPost } from "./ownPosts.ts"

interface OwnPostsView {
  readonly posts: ReadonlyArray<OwnPost>
  /** The path of the next page of Posts, and of the first. */
  readonly next: string | null
  readonly first: string | null
}

const item = ({ id, isForSale, title }: OwnPost): Html =>
  html`<li>
    <a href="${giftsPath(id)}"><bdi>${title}</bdi></a
    >${!isForSale && html` <span class="size">not for sale right now</span>`}
  </li>`

/** Returns the list of the Posts of an author that are for sale, or were given. */
export const ownPostsPage = ({ first, next, posts }: OwnPostsView): Page =>
  formPage({
    title: "Give a post",
    kicker: "Gifts",
    content: html`<p class="lede">
        ${
          posts.length === 0 && first === null
            ? "You don't have a post with a price yet. Your other posts are free for everyone."
            : "Choose one of your posts. A gift link lets others read it for free."
        }
      </p>
      ${
        posts.length > 0 &&
        html`<div class="files">
          <ul>
            ${posts.map(item)}
          </ul>
        </div>`
      }${pager(next, first)}`
  })
