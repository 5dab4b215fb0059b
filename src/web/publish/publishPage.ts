import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import { freedPartOf } from "../../../schemas/publishing/posts/freedPart.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import type { AboutPrice } from "../../platform/nano/aboutMoney.ts"
import { copyField } from "../../platform/pages/copyField.ts"
import { hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { giftsPath } from "../gifts/issue/giftsPath.ts"
import { CREATION_WORDS } from "../pages/parts/creation.ts"
import { filesPath, previewPath, publishPath, writePath } from "../write/writePage.ts"
import { isFilledIn, missingPart, type MissingView } from "./missingPart.ts"

export interface PublishView extends MissingView {
  readonly post: Post
  /** Names the publication, so that a repeated press changes nothing. */
  readonly key: string
  /** The address that the post has, or will have. */
  readonly url: string
  readonly category: string | null
  /** Says what a price is worth. */
  readonly about: AboutPrice
  readonly followers: number
  /** True after a first press, when the next one makes the part for buyers public. */
  readonly isFreeing: boolean
  /** A sentence about what happened; it has the focus. */
  readonly told: string | null
}

const row = (name: string, value: Html | string): Html =>
  html`<li><span>${name}</span> <span class="size">${value}</span></li>`

/** Returns the place where an author adds what a publication lacks. */
const placeOf = (control: string, { post }: PublishView): string => {
  if (isFilledIn(control)) return `#${control}`
  return control === "attachments" ? filesPath(post.id) : `${writePath(post.id)}#${control}`
}

/** Says what is missing, before the press and after it. */
const missing = (view: PublishView): Html | false => {
  const { missing, refused } = view
  const wrong = refused.filter((it) => !missing.some(({ control }) => control === it.control))
  const all = [...missing, ...wrong]
  if (all.length === 0) return false
  const links = all.map((it) => html`<p><a href="${placeOf(it.control, view)}">${it.sentence}</a></p>`)
  return refused.length > 0
    ? html`<div class="state" id="outcome" role="status" tabindex="-1" autofocus>
        <p>This is still missing:</p>
        ${links}
      </div>`
    : html`<div class="state">
        <p>Before you publish:</p>
        ${links}
      </div>`
}

const priceOf = ({ about, post: { enablePaywall, priceRaw } }: PublishView): string => {
  if (!enablePaywall) return "Free for everyone"
  if (priceRaw === null) return "Not set"
  const xno = xnoOfRaw(BigInt(priceRaw))
  const worth = about(xno)
  return worth === null ? `${xno} XNO` : `${xno} XNO, ${worth}`
}

/** Returns what readers see before they pay. */
const teaserOf = ({ contentEditability, freeContentMarkdown }: Post): string =>
  freeContentMarkdown === null && contentEditability.free.editable
    ? "The title and the description"
    : "The title, the description and the part that everyone reads"

const summary = (view: PublishView): Html => {
  const { category, post, url } = view
  const freed = post.url === null ? freedPartOf(post) : null
  return html`<section class="files">
    <ul>
      ${row("Address", html`<bdi dir="ltr">${url}</bdi>`)}${row("Price", priceOf(view))}${freed !== null && row("Part for buyers", html`<strong class="bad">${freed}</strong>`)}${post.enablePaywall && row("Before they pay, readers see", teaserOf(post))}${row("Category", category ?? "Not chosen")}${row("Below the post", post.creationMethod === null ? "Nothing yet about how it was made" : CREATION_WORDS[post.creationMethod])}${row("Comments", post.commentsEnabled ? "On" : "Off")}
    </ul>
    <p class="note"><a href="${previewPath(post.id)}">See it as readers will</a></p>
  </section>`
}

/** Says who learns of the publication. */
const notified = ({ followers }: PublishView): string =>
  followers === 0
    ? "You have no followers yet, so no one gets a notification."
    : `${followers === 1 ? "Your follower gets" : `Your ${followers.toLocaleString("en")} followers get`} one notification, when the post is published for the first time.`

const draft = (view: PublishView): Html =>
  html`<p class="lede">${notified(view)}</p>
    ${summary(view)}
    <form class="fields writing" method="post" action="${publishPath(view.post.id)}">
      ${hidden("key", view.key)}${hidden("revision", view.post.updatedAt)}${view.isFreeing && hidden("_free", "yes")}${missingPart(view)}<button
        class="button"
        type="submit"
      >
        ${view.isFreeing ? "Publish both parts for free" : "Publish now"}
      </button>
    </form>`

const published = (view: PublishView, url: string): Html =>
  html`${copyField("Link to the post", url, url)}
    <p class="act">
      <a class="button" href="${url}">Read it</a
      >${view.post.enablePaywall && html` <a class="button quiet" href="${giftsPath(view.post.id)}">Make a gift link</a>`}
    </p>
    ${summary(view)}
    <details>
      <summary>Take it off the site</summary>
      <p>
        The post becomes a draft again. Readers can no longer find it, but everyone who bought it can still
        read it.
      </p>
      <form class="act" method="post" action="${writePath(view.post.id)}/unpublish">
        ${hidden("key", view.key)}<button class="button quiet" type="submit">Unpublish</button>
      </form>
    </details>`

/** Returns the page on which an author checks a post, publishes it, and takes it off the site. */
export const publishPage = (view: PublishView): Page => {
  const { post, refused, told } = view
  const title = post.title === "" ? "Untitled" : post.title
  return formPage({
    title: post.url === null ? `Publish: ${title}` : title,
    kicker: post.url === null ? "Draft" : "Published",
    heading: html`<bdi>${title}</bdi>`,
    content: html`${missing(view)}${told !== null && refused.length === 0 && outcome(told)}${post.url === null ? draft(view) : published(view, post.url)}
      <p class="note"><a href="${writePath(post.id)}">Edit</a> · <a href="/desk">Back to your desk</a></p>`
  })
}
