import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import type { PostSort } from "../../engagement/desk/PostChoice.ts"
import type { PostLine } from "../../engagement/desk/postTable.sql.ts"
import { hidden } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import { receivedCommentsPath } from "../browser/paths.ts"
import { giftsPath } from "../gifts/issue/giftsPath.ts"
import { amount, day, titleText } from "../pages/parts/values.ts"
import { xno } from "../sales/salesAmounts.ts"
import { deleteForm, previewPath, publishPath, writePath } from "../write/writePage.ts"
import { readsPath } from "./readsPage.ts"
import { scheduleText } from "./scheduleText.ts"

/** The heads of the columns that order the table. */
const HEADS: Readonly<Record<PostSort, string>> = {
  title: "Title",
  price: "Price",
  reads: "Reads",
  walls: "Saw the price",
  sales: "Sales",
  income: "Income",
  comments: "Comments",
  published: "Published"
}

interface TableView {
  readonly posts: ReadonlyArray<PostLine>
  readonly sort: PostSort | undefined
  /** Returns the path of the table in the order of a column, or in the usual one. */
  readonly sortedBy: (sort: PostSort | undefined) => string
  /** The address of the service, with which links to posts begin. */
  readonly baseUrl: string
  /** The query of the page, to which the forms lead back. */
  readonly query: string
}

/** Returns the title of a post, in the direction of its script. */
export const titleOf = ({ title }: { readonly title: string }): Html => html`<bdi>${titleText(title)}</bdi>`

const isAscending = (sort: PostSort) => sort === "title"

/** The head of a column. Its link orders the table, and that of the present order leads back to the usual one. */
const head = ({ sort: current, sortedBy }: TableView, sort: PostSort): Html => {
  if (sort !== current) return html`<th scope="col"><a href="${sortedBy(sort)}">${HEADS[sort]}</a></th>`
  return html`<th scope="col" aria-sort="${isAscending(sort) ? "ascending" : "descending"}">
    <a href="${sortedBy(undefined)}">${HEADS[sort]}</a>
  </th>`
}

const statusOf = (post: PostLine): string => {
  if (post.status === "published") return "Published"
  if (post.is_withdrawn) return "Taken off the site by our moderators"
  return post.is_returning ? "Back on the site in a few minutes" : (scheduleText(post) ?? "Draft")
}

/** A number with its unit, which only phones show: there the heads stand apart. A phone leaves the minor ones out. */
const number = (count: number, unit: string, path?: string, isMinor = false): Html => {
  const shown = html`<data value="${String(count)}">${count.toLocaleString("en")}</data>`
  return html`<td class="${isMinor ? "minor" : ""}" data-unit="${count === 1 ? unit : `${unit}s`}">
    ${path === undefined || count === 0 ? shown : html`<a href="${path}">${shown}</a>`}
  </td>`
}

const price = ({ enable_paywall: isPaid, price_raw: raw }: PostLine): Html =>
  raw === null
    ? html`<td>${isPaid ? "Not set" : "Free"}</td>`
    : html`<td data-unit="XNO">${amount(xnoOfRaw(BigInt(raw)))}</td>`

const about = (post: PostLine): Html => html`<span class="sr"> ${titleOf(post)}</span>`

/** Changes the price in place. */
const priceForm = (post: PostLine, raw: string, query: string): Html =>
  html`<form class="fields" method="post" action="${publishPath(post.id)}">
    ${hidden("act", "save")}${hidden("revision", post.edited_at)}${hidden("desk", query)}
    <div class="field">
      <label for="p-${post.id}">Price in XNO<span class="sr"> of ${titleOf(post)}</span></label>
      <input
        id="p-${post.id}"
        name="price"
        type="text"
        inputmode="decimal"
        size="6"
        maxlength="40"
        required
        autocomplete="off"
        value="${xnoOfRaw(BigInt(raw))}"
      />
    </div>
    <button class="button quiet" type="submit">Save price${about(post)}</button>
  </form>`

const ofPublic = (post: PostLine, { baseUrl, query }: TableView): Html =>
  html`<a href="/@${post.handle}/${post.slug}">Read${about(post)}</a>
    ${post.price_raw !== null && priceForm(post, post.price_raw, query)}
    <form method="post" action="${writePath(post.id)}/unpublish">
      ${hidden("revision", post.edited_at)}${hidden("desk", query)}<button class="button quiet" type="submit">
        Unpublish${about(post)}
      </button>
    </form>
    ${post.price_raw !== null && html`<a href="${giftsPath(post.id)}">Give${about(post)}</a>`}
    <button class="button quiet" type="button" data-copy="${baseUrl}/@${post.handle}/${post.slug}" hidden>
      Copy link<span class="sr"> to ${titleOf(post)}</span>
    </button>`

const ofDraft = (post: PostLine): Html =>
  html`<a href="${previewPath(post.id)}">Preview${about(post)}</a>
    ${!post.is_withdrawn && html`<a href="${publishPath(post.id)}">Publish${about(post)}</a>`}
    ${deleteForm(post.id, titleOf(post))}`

const menu = (post: PostLine, view: TableView): Html =>
  html`<details class="menu">
    <summary><span aria-hidden="true">⋯</span><span class="sr">More for ${titleOf(post)}</span></summary>
    <div class="act">
      <a href="${writePath(post.id)}">Edit${about(post)}</a>
      <a href="${readsPath(post.id)}">Reads by day${about(post)}</a>
      ${post.status === "draft" ? ofDraft(post) : ofPublic(post, view)}
    </div>
  </details>`

const row = (post: PostLine, view: TableView): Html => {
  const isDraft = post.status === "draft"
  const comments = receivedCommentsPath({ isAll: true, post: post.id })
  return html`<tr class="${isDraft ? "draft" : "public"}">
    <th scope="row"><a href="${writePath(post.id)}">${titleOf(post)}</a></th>
    <td class="${isDraft ? "" : "minor"}">${statusOf(post)}</td>
    ${price(post)}${number(post.reads, "read", readsPath(post.id))}${number(post.walls, "look", readsPath(post.id), true)}${number(post.sales, "sale")}
    <td data-unit="XNO earned">${xno(post.earned_raw)}</td>
    ${number(post.comments, "comment", comments, true)}
    <td class="${isDraft ? "" : "minor"}">
      ${
        post.published_at === null
          ? html`<span class="hint">Edited ${day(post.edited_at, "en")}</span>`
          : day(post.published_at, "en")
      }
    </td>
    <td>${menu(post, view)}</td>
  </tr>`
}

/** Returns the table of an author's own posts. On phones, each post has two lines below the links that order them. */
export const postsTable = (view: TableView): Html =>
  html`<section class="scroll" tabindex="0" aria-label="Posts">
    <table class="posts">
      <thead>
        <tr>
          ${head(view, "title")}
          <th scope="col" class="minor">Status</th>
          ${(["price", "reads", "walls", "sales", "income", "comments", "published"] as const).map((sort) => head(view, sort))}
          <th scope="col"><span class="sr">More</span></th>
        </tr>
      </thead>
      <tbody>
        ${view.posts.map((post) => row(post, view))}
      </tbody>
    </table>
  </section>`
