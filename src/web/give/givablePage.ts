import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { pager } from "../pages/parts/small.ts"
import { givePath } from "./givePath.ts"
import type { OwnPost } from "./Giving.ts"

interface GivableView {
  readonly posts: ReadonlyArray<OwnPost>
  /** The path of the next page of Posts, and of the first. */
  readonly next: string | null
  readonly first: string | null
}

const item = ({ id, isForSale, title }: OwnPost): Html =>
  html`<li>
    <a href="${givePath(id)}"><bdi>${title}</bdi></a
    >${!isForSale && html` <span class="size">not for sale now</span>`}
  </li>`

/** Returns the list of the Posts of an author that are for sale, or were given. */
export const givablePage = ({ first, next, posts }: GivableView): Page => ({
  title: "Give a Post · Pennypress",
  isIndexed: false,
  main: html`<div class="message">
    <p class="kicker">Gifts</p>
    <h1>Give a Post</h1>
    <p class="lede">
      ${
        posts.length === 0 && first === null
          ? "You have no Post with a price yet. The others are free for everyone."
          : "Choose one of yours. A gift lets others read it without paying."
      }
    </p>
    ${
      posts.length > 0 &&
      html`<div class="files">
        <ul>
          ${posts.map(item)}
        </ul>
      </div>`
    }${pager(next, first)}
  </div>`
})
