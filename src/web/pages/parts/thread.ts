import { type Html, html } from "../../../platform/pages/html.ts"
import { face, person } from "./people.ts"
import { reactions } from "./reactions.ts"
import { amount, counted, day } from "./values.ts"
import type { CommentView } from "./views.ts"

const said = ({ content }: CommentView) =>
  content === null
    ? html`<p class="said gone" lang="en">This comment was deleted.</p>`
    : html`<p class="said" dir="auto">${content}</p>`

const tags = ({ hasPurchased, isByAuthor, tipXno }: CommentView) =>
  html`${isByAuthor && html`<span class="tag">Author</span>`}${hasPurchased && html`<span class="tag">Bought this</span>`}${tipXno !== null && html`<span class="tag price">Tipped ${amount(tipXno)} XNO</span>`}`

/** The discussion that a Comment stands in. */
interface DiscussionPlace {
  /** The address of the whole discussion. */
  readonly address: string
  readonly language: string
  readonly postId: string
}

const comment = (view: CommentView, place: DiscussionPlace): Html =>
  html`<li id="c-${view.id}">
    <article>
      <h3 class="by">
        ${face(view.author, "small")}${person(view.author)}${tags(view)}${day(view.createdAt, place.language)}
      </h3>
      ${said(view)}${
        view.content !== null &&
        html`${reactions(view.reactions, "small")}
          <p class="more">
            <a href="/respond/${place.postId}?to=${view.id}"
              >Respond<span class="sr"> to ${view.author.name}</span></a
            >
            · <a href="/tip?comment=${view.id}">Tip<span class="sr"> ${view.author.name}</span></a> ·
            <a href="/report?comment=${view.id}" rel="nofollow"
              >Report<span class="sr"> the comment by ${view.author.name}</span></a
            >
          </p>`
      }
    </article>
    ${
      view.replies.length > 0 &&
      html`<ol>
        ${view.replies.map((reply) => comment(reply, place))}
      </ol>`
    }${view.moreReplies > 0 && html`<p class="more"><a href="${place.address}?thread=${view.id}">${counted(view.moreReplies, "more reply", "more replies")}</a></p>`}
  </li>`

/** Comments as nested lists. */
export const thread = (comments: ReadonlyArray<CommentView>, place: DiscussionPlace): Html =>
  html`<ol class="thread">
    ${comments.map((view) => comment(view, place))}
  </ol>`
