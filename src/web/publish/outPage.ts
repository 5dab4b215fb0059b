import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { copyField } from "../../platform/pages/copyField.ts"
import { outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { DESK } from "../browser/paths.ts"
import { giftsPath } from "../gifts/issue/giftsPath.ts"
import { card } from "../pages/parts/cards.ts"
import { titleText } from "../pages/parts/values.ts"
import { publishPath } from "../write/writePage.ts"
import { type MailView, mailPart } from "./mailPart.ts"
import { sharedPicture } from "./publishPage.ts"
import type { ReadersView } from "./readersView.ts"

export interface OutView extends ReadersView {
  readonly post: Post
  readonly url: string
  /** The address of the post as a QR code. */
  readonly qr: Html
  /** The number of followers who get a notification of this publication. */
  readonly notified: number
  /** The mail to readers; null where the author has none. */
  readonly mail: MailView | null
}

/** Says who can read the post, and who learns of it. */
const sentence = ({ notified }: OutView): string => {
  if (notified === 0) return "Everyone can find it now."
  return notified === 1 ? "Your follower was told." : `${notified.toLocaleString("en")} followers were told.`
}

/** Returns the page that an author sees after a publication: the post as others see it, and the ways to pass it on. */
export const outPage = (view: OutView): Page => {
  const { post, qr, url } = view
  return {
    title: titleText(post.title),
    isIndexed: false,
    main: html`<div class="wide decisions">
      <p class="kicker">Published</p>
      <h1>It's out.</h1>
      ${outcome(sentence(view))} ${mailPart(post.id, view.mail)}
      <div class="columns">
        <section class="files" aria-labelledby="seen">
          <h2 class="label" id="seen">What readers see</h2>
          ${sharedPicture(view)}${card(view.card)}
        </section>
        <section class="fields" aria-labelledby="pass">
          <h2 class="label" id="pass">Pass it on</h2>
          ${copyField("Link to the post", url, url)}
          <p class="act">
            <a class="button" href="${url}">See it</a>
            ${post.enablePaywall && html`<a class="button quiet" href="${giftsPath(post.id)}">Make a gift link</a> `}<button
              class="button quiet"
              type="button"
              data-copy="${url}"
              data-share="Share"
              data-only
              hidden
            >
              Share
            </button>
          </p>
          <details>
            <summary>QR code to print</summary>
            <div class="qr" role="img" aria-label="QR code of the address of the post">${qr}</div>
          </details>
          <p class="note">
            <a href="${publishPath(post.id)}">Change what you decided</a> ·
            <a href="${DESK}">Back to your desk</a>
          </p>
        </section>
      </div>
    </div>`
  }
}
