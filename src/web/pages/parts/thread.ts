import { type Html, html } from "../../../platform/pages/html.ts"
import type { PageWords } from "../words/wordsIn.ts"
import { face, person } from "./people.ts"
import { reactions } from "./reactions.ts"
import { amount, day, xnoIn } from "./values.ts"
import type { CommentView } from "./views.ts"

const said = ({ content }: CommentView, { deleted }: PageWords) =>
  content === null
    ? html`<p class="said gone">${deleted}</p>`
    : html`<p class="said" dir="auto">${content}</p>`

const tags = ({ hasPurchased, isByAuthor, tipXno }: CommentView, words: PageWords) =>
  html`${isByAuthor && html`<span class="tag">${words.author}</span>`}${hasPurchased && html`<span class="tag">${words.buyer}</span>`}${tipXno !== null && html`<span class="tag price">${words.tipped(xnoIn(words, amount(tipXno)))}</span>`}`

/** The discussion that a Comment stands in. */
interface DiscussionPlace {
  /** The address of the whole discussion. */
  readonly address: string
  /** The language of the Post. */
  readonly language: string
  readonly words: PageWords
  readonly postId: string
}

const actions = ({ author: { name }, id }: CommentView, { postId, words }: DiscussionPlace): Html =>
  html`<p class="more">
    <a href="/respond/${postId}?to=${id}"
      >${words.respond}<span class="sr"> ${words.respondTo(name)}</span></a
    >
    · <a href="/tip?comment=${id}">${words.tip}<span class="sr"> ${words.tipTo(name)}</span></a> ·
    <a href="/report?comment=${id}" rel="nofollow"
      >${words.report}<span class="sr"> ${words.reportBy(name)}</span></a
    >
  </p>`

const comment = (view: CommentView, place: DiscussionPlace): Html => {
  const { address, language, words } = place
  return html`<li id="c-${view.id}">
    <article>
      <h3 class="by">
        ${face(view.author, "small")}${person(view.author, words)}${tags(view, words)}${day(view.createdAt, language)}
      </h3>
      ${said(view, words)}${view.content !== null && html`${reactions(view.reactions, words, "small")} ${actions(view, place)}`}
    </article>
    ${
      view.replies.length > 0 &&
      html`<ol>
        ${view.replies.map((reply) => comment(reply, place))}
      </ol>`
    }${view.moreReplies > 0 && html`<p class="more"><a href="${address}?thread=${view.id}">${words.moreReplies(view.moreReplies)}</a></p>`}
  </li>`
}

/** Comments as nested lists. */
export const thread = (comments: ReadonlyArray<CommentView>, place: DiscussionPlace): Html =>
  html`<ol class="thread">
    ${comments.map((view) => comment(view, place))}
  </ol>`
