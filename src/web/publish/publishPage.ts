import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { copyField } from "../../platform/pages/copyField.ts"
import { hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { giftsPath } from "../gifts/issue/giftsPath.ts"
import { CREATION_WORDS } from "../pages/parts/creation.ts"
import { payoutPath } from "../payout/payoutPage.ts"
import { profilePath } from "../profile/profilePage.ts"
import type { Refused } from "../write/postForm.ts"
import { previewPath, publishPath, writePath } from "../write/writePage.ts"

interface PublishView {
  readonly post: Post
  /** Names the publication, so that a repeated press changes nothing. */
  readonly key: string
  /** The address that the post has, or will have. */
  readonly address: string
  readonly category: string | null
  readonly followers: number
  readonly refused: ReadonlyArray<Refused>
  /** A sentence about what happened; it has the focus. */
  readonly told: string | null
}

const row = (name: string, value: Html | string): Html =>
  html`<li><span>${name}</span> <span class="size">${value}</span></li>`

/** Returns the place at which an author mends what a publication lacks. */
const placeOf = (control: string, { post }: PublishView): string => {
  const back = publishPath(post.id)
  if (control === "payoutAddress") return payoutPath(back)
  return control === "name" || control === "handle" ? profilePath(back) : `${writePath(post.id)}#${control}`
}

const missing = (view: PublishView): Html | false =>
  view.refused.length > 0 &&
  html`<div class="state" id="outcome" role="status" tabindex="-1" autofocus>
    <p>This is still missing:</p>
    ${view.refused.map((it) => html`<p><a href="${placeOf(it.control, view)}">${it.sentence}</a></p>`)}
  </div>`

const priceOf = ({ enablePaywall, priceRaw }: Post): string => {
  if (!enablePaywall) return "Free for everyone"
  return priceRaw === null ? "Not set" : `${xnoOfRaw(BigInt(priceRaw))} XNO`
}

/** Returns what readers see before they pay. */
const teaserOf = ({ contentEditability, freeContentMarkdown }: Post): string =>
  freeContentMarkdown === null && contentEditability.free.editable
    ? "The title and the description"
    : "The title, the description and the part that everyone reads"

const summary = ({ address, category, post }: PublishView): Html =>
  html`<section class="files">
    <ul>
      ${row("Address", html`<bdi dir="ltr">${address}</bdi>`)}${row("Price", priceOf(post))}${post.enablePaywall && row("Before they pay, readers see", teaserOf(post))}${row("Category", category ?? "Not chosen")}${row("Below the post", post.creationMethod === null ? "Nothing yet about how it was made" : CREATION_WORDS[post.creationMethod])}${row("Comments", post.commentsEnabled ? "On" : "Off")}
    </ul>
    <p class="note"><a href="${previewPath(post.id)}">See it as readers will</a></p>
  </section>`

/** Says who learns of the publication. */
const notified = ({ followers }: PublishView): string =>
  followers === 0
    ? "You have no followers yet, so no one gets a notification."
    : `${followers === 1 ? "Your follower gets" : `Your ${followers.toLocaleString("en")} followers get`} one notification, when the post is published for the first time.`

const press = (view: PublishView, action: "publish" | "unpublish", name: string, className: string): Html =>
  html`<form class="act" method="post" action="${writePath(view.post.id)}/${action}">
    ${hidden("key", view.key)}<button class="${className}" type="submit">${name}</button>
  </form>`

const draft = (view: PublishView): Html =>
  html`<p class="lede">${notified(view)}</p>
    ${summary(view)}${press(view, "publish", "Publish now", "button")}`

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
        The post becomes a draft again. Readers no longer find it, and everyone who bought it keeps reading.
      </p>
      ${press(view, "unpublish", "Unpublish", "button quiet")}
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
