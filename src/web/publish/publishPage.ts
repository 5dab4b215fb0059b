import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import { freedPartOf } from "../../../schemas/publishing/posts/freedPart.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { copyField } from "../../platform/pages/copyField.ts"
import { hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { CARD_HEIGHT, CARD_WIDTH } from "../../platform/ports/Assets.ts"
import type { NextPublication } from "../../publishing/posts/nextPublication.ts"
import { DESK } from "../browser/paths.ts"
import { giftsPath } from "../gifts/issue/giftsPath.ts"
import { card } from "../pages/parts/cards.ts"
import { titleText } from "../pages/parts/values.ts"
import { extentOf } from "../pages/readingTime.ts"
import { differences } from "../write/compared.ts"
import { plainPrice } from "../write/postForm.ts"
import { filesPath, previewPath, publishPath, writePath } from "../write/writePage.ts"
import { decisionsPart, type DecisionsView, isDecided } from "./decisionsPart.ts"
import { laterPart, type LaterView, scheduled } from "./laterPart.ts"
import { type MailView, mailPart, mailSentence } from "./mailPart.ts"
import type { ReadersView } from "./readersView.ts"

export interface PublishView extends DecisionsView, ReadersView {
  readonly post: Post
  /** Names the publication, so that a repeated press changes nothing. */
  readonly key: string
  /** The version that the author decides about. */
  readonly revision: string
  readonly followers: number
  /** The kind of the next publication: followers and readers do not learn of each. */
  readonly next: NextPublication
  readonly later: LaterView
  /** The mail to readers; null where the author has none. */
  readonly mail: MailView | null
  /** True for a form that is shown again with what was not saved. */
  readonly isUnsaved: boolean
  /** True after a first press, when the next one makes the part for buyers public. */
  readonly isFreeing: boolean
  /** A sentence about what happened; it has the focus. */
  readonly told: string | null
  /** The query of the table of own posts to which the forms lead back; null for the page itself. */
  readonly desk: string | null
}

/** The outcome of a post that was taken off the site. */
export const UNPUBLISHED = "Your post is a draft again. Everyone who bought it can still read it."

/** The value of the button that saves what was decided. */
export const SAVE = "save"

const row = (name: string, value: Html | string): Html =>
  html`<li><span>${name}</span> <span class="size">${value}</span></li>`

/** Returns the place where an author adds what a publication lacks. */
const placeOf = (control: string, view: PublishView): string => {
  const { post } = view
  if (isDecided(control, view)) return `#${control}`
  return control === "attachments" ? filesPath(post.id) : `${writePath(post.id)}#${control}`
}

/** Says what is missing, before the press and after it. */
const missing = (view: PublishView): Html | false => {
  const { missing, refused } = view
  const wrong = refused.filter((it) => !missing.some(({ control }) => control === it.control))
  const all = [...missing, ...wrong]
  if (all.length === 0) return false
  const links = html`<ul class="plain">
    ${all.map((it) => html`<li><a href="${placeOf(it.control, view)}">${it.sentence}</a></li>`)}
  </ul>`
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

const bytesOf = (text: string | null) => Buffer.byteLength(text ?? "")

/** Returns what readers see before they pay. */
const teaserOf = ({
  contentEditability,
  freeContentMarkdown: free,
  language,
  paidContentMarkdown: paid
}: Post): string => {
  if (free === null && contentEditability.free.editable) return "The title and the description"
  const teaser = "The title, the description and the part that everyone reads"
  const [some, all] = [bytesOf(free), bytesOf(free) + bytesOf(paid)].map(
    (bytes) => extentOf(bytes, language).words
  )
  return some == null || all == null || some === all
    ? teaser
    : `${teaser}: about ${some.toLocaleString("en")} of ${all.toLocaleString("en")} words`
}

/** Says who learns of the publication. */
const notified = ({ followers, next }: PublishView): string => {
  if (next === "again") return "This post was published before, so no one gets a notification."
  if (next === "old")
    return "The post has a date of more than a day ago. If you publish it now, no one gets a notification."
  if (followers === 0) return "You have no followers yet, so no one gets a notification."
  return `${followers === 1 ? "Your follower gets" : `Your ${followers.toLocaleString("en")} followers get`} one notification, when the post is published for the first time.`
}

/** The picture that other sites show with a link to the post. */
export const sharedPicture = ({ picture }: ReadersView): Html =>
  html`<img
    src="${picture}"
    alt="The picture of shared links"
    width="${CARD_WIDTH}"
    height="${CARD_HEIGHT}"
  />`

/** The post as readers see it before they open it, and before they pay. */
const seen = (view: PublishView): Html => {
  const { post } = view
  const freed = post.url === null ? freedPartOf(post) : null
  return html`<section class="files" aria-labelledby="seen">
    <h2 class="label" id="seen">What readers see</h2>
    ${sharedPicture(view)}${card(view.card)}
    <ul>
      ${row("Address", html`<bdi dir="ltr">${view.url}</bdi>`)}${row("Price", priceOf(view))}${freed !== null && row("Part for buyers", html`<strong class="bad">${freed}</strong>`)}${post.enablePaywall && row("Before they pay, readers see", teaserOf(post))}
    </ul>
    <p class="note">
      <a href="${previewPath(post.id)}">See it as readers will</a> ·
      <a href="${writePath(post.id)}">Edit</a> ·
      <a href="${DESK}">Back to your desk</a>
    </p>
    ${
      post.url === null &&
      html`<p class="note">${notified(view)}</p>
        ${mailSentence(view.mail, view.next)}`
    }
  </section>`
}

/** Returns the words of the button that publishes, which say what it does. */
const publishWords = ({ fields, hasRest, isFreeing }: PublishView): string => {
  if (isFreeing) return "Publish both parts for free"
  if (!hasRest || fields.isSold !== true) return "Publish, free for everyone"
  return fields.price === undefined || fields.price === ""
    ? "Publish"
    : `Publish for ${plainPrice(fields.price)} XNO`
}

/** The decisions of the author, with the button that publishes the draft, or saves what a public post shows. */
const decided = (view: PublishView): Html => {
  const { elsewhere, post } = view
  const isDraft = post.url === null
  return html`<section aria-labelledby="decided">
    <h2 class="label" id="decided">What you decide</h2>
    <form
      class="fields writing"
      method="post"
      action="${publishPath(post.id)}"
      data-unsaved="${view.isUnsaved ? "yes" : ""}"
    >
      ${hidden("key", view.key)}${hidden("revision", view.revision)}${view.desk !== null && hidden("desk", view.desk)}${view.isFreeing && hidden("_free", "yes")}${elsewhere !== null && hidden("_differing", [...elsewhere.choices.keys()].join(" "))}${decisionsPart(view)}
      <p class="act">
        ${
          isDraft
            ? html`<button class="button quiet" type="submit" name="act" value="${SAVE}">Save draft</button>
                <button class="button" type="submit" name="act" value="publish" data-publish>
                  ${publishWords(view)}
                </button>`
            : html`<button class="button" type="submit" name="act" value="${SAVE}">Save changes</button>`
        }
      </p>
      ${isDraft && laterPart(post.id, view.later)}
    </form>
  </section>`
}

const published = (view: PublishView, url: string): Html =>
  html`${copyField("Link to the post", url, url)}
    <p class="act">
      <a class="button" href="${url}">See it</a
      >${view.post.enablePaywall && html` <a class="button quiet" href="${giftsPath(view.post.id)}">Make a gift link</a>`}
    </p>
    ${mailPart(view.post.id, view.mail)}
    <details>
      <summary>Take it off the site</summary>
      <p>
        The post becomes a draft again. Readers can no longer find it, but everyone who bought it can still
        read it.
      </p>
      <form class="act" method="post" action="${writePath(view.post.id)}/unpublish">
        ${hidden("key", view.key)}${view.desk !== null && hidden("desk", view.desk)}<button
          class="button quiet"
          type="submit"
        >
          Unpublish
        </button>
      </form>
    </details>`

/** Returns the page of all decisions on a post: its author publishes it there, changes what is public, and takes it off the site. */
export const publishPage = (view: PublishView): Page => {
  const { elsewhere, post, refused, told } = view
  const title = titleText(post.title)
  return {
    title: post.url === null ? `Publish: ${title}` : title,
    isIndexed: false,
    scripts: ["publish"],
    main: html`<div class="wide decisions">
      <p class="kicker">
        ${post.url !== null ? "Published" : post.schedule?.state === "waiting" ? "Scheduled" : "Draft"}
      </p>
      <h1 dir="auto">${title}</h1>
      ${elsewhere === null ? missing(view) : differences(elsewhere, publishPath(post.id))}${told !== null && refused.length === 0 && outcome(told)}${post.url !== null && published(view, post.url)}${post.url === null && scheduled(post.id, view.later)}
      <div class="columns">${seen(view)}${decided(view)}</div>
    </div>`
  }
}
