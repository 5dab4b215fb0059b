import { type Html, html } from "../../../platform/pages/html.ts"
import { face, person } from "./people.ts"
import { reactions } from "./reactions.ts"
import { counted, day } from "./small.ts"
import type { CommentView } from "./views.ts"

const said = ({ content }: CommentView) =>
  content === null
    ? html`<p class="said gone" lang="en">This comment was deleted.</p>`
    : html`<p class="said" dir="auto">${content}</p>`

const tags = ({ hasPurchased, isByAuthor, tipXno }: CommentView) =>
  html`${isByAuthor && html`<span class="tag">Author</span>`}${hasPurchased && html`<span class="tag">Bought this</span>`}${tipXno !== null && html`<span class="tag price">Tipped ${tipXno} XNO</span>`}`

const comment = (view: CommentView, base: string, language: string): Html =>
  html`<li id="c-${view.id}">
    <article>
      <h3 class="by">
        ${face(view.author, "small")}${person(view.author)}${tags(view)}${day(view.createdAt, language)}
      </h3>
      ${said(view)}${view.content !== null && reactions(view.reactions, "small")}
    </article>
    ${
      view.replies.length > 0 &&
      html`<ol>
        ${view.replies.map((reply) => comment(reply, base, language))}
      </ol>`
    }${view.moreReplies > 0 && html`<p class="more"><a href="${base}?thread=${view.id}">${counted(view.moreReplies, "more reply", "more replies")}</a></p>`}
  </li>`

/** Comments as nested lists. `base` is the address of the whole discussion. */
export const thread = (comments: ReadonlyArray<CommentView>, base: string, language: string): Html =>
  html`<ol class="thread">
    ${comments.map((view) => comment(view, base, language))}
  </ol>`
