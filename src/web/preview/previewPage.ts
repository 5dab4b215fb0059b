import type { PostId } from "../../../schemas/platform/Ids.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import type { PostView } from "../pages/parts/views.ts"
import { postArticle } from "../pages/postPage.ts"
import { publishPath, writePath } from "../write/writePage.ts"

interface PreviewView {
  readonly id: PostId
  readonly isPublished: boolean
  /** The post as its readers get it. */
  readonly post: PostView
  readonly cardTitle: string
  readonly cardText: string
  /** The address of the picture on the card that shared links show. */
  readonly cardImage: string
  /** The part for buyers; null for a post without one. */
  readonly paid: Html | null
  /** A sentence about the part for buyers, for the author. */
  readonly paidNote: string
}

const card = ({ cardImage, cardText, cardTitle }: PreviewView): Html =>
  html`<details>
    <summary>Preview card</summary>
    <div class="fields">
      <img src="${cardImage}" alt="" width="300" loading="lazy" />
      <strong dir="auto">${cardTitle}</strong>
      <p dir="auto">${cardText}</p>
    </div>
  </details>`

/** Returns a post as its readers will see it, with the paid part behind the wall. */
export const previewPage = (view: PreviewView): Page => {
  const { id, isPublished, paid, paidNote, post } = view
  const paidPart =
    paid !== null &&
    html`<section aria-label="The part for buyers">
      <p class="state" lang="en" dir="ltr">${paidNote}</p>
      <div class="prose" dir="auto">${paid}</div>
    </section>`
  return {
    title: `Preview: ${post.title}`,
    language: post.language,
    isIndexed: false,
    main: html`<div class="message" lang="en" dir="ltr">
        <p class="state">
          This is a preview. Only you can see it.
          <a href="${writePath(id)}">Edit</a
          >${!isPublished && html` · <a href="${publishPath(id)}">Publish</a>`}
        </p>
        ${card(view)}
      </div>
      ${postArticle(post, paidPart)}`
  }
}
