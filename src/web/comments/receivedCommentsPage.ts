import type { ReceivedComment } from "../../../schemas/engagement/comments/page.ts"
import { ANSWER_DAYS } from "../../engagement/comments/answered.sql.ts"
import { brief } from "../../platform/mail/oneLine.ts"
import { hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { deskMenu } from "../browser/deskMenu.ts"
import {
  type CommentsPlace,
  commentsQueryOf,
  RECEIVED_COMMENTS,
  receivedCommentsPath
} from "../browser/paths.ts"
import { pager } from "../pages/parts/pager.ts"
import { face, person } from "../pages/parts/people.ts"
import { reactForm } from "../pages/parts/reactions.ts"
import { since } from "../pages/parts/since.ts"
import { titleText } from "../pages/parts/values.ts"
import { respondPath } from "../respond/respondPage.ts"
import { writePath } from "../write/writePage.ts"

/** Characters of the name of a form. */
const LABEL_MAX = 80

/** The outcome of a form that the next page reports. */
const told = {
  sent: "Your reply is public.",
  saved: "Your reaction is saved.",
  deleted: "The comment was deleted.",
  closed: "Comments on that post are closed, and readers no longer see them.",
  opened: "Readers can see and write comments on that post again."
}
type Done = keyof typeof told

const isDone = (text: string): text is Done => Object.hasOwn(told, text)

interface ReceivedCommentsView {
  /** Each comment with the Idempotency-Key of its answer. */
  readonly comments: ReadonlyArray<{ readonly comment: ReceivedComment; readonly key: string }>
  readonly place: CommentsPlace
  /** The cursor of the next page. */
  readonly next: string | null
  /** The moment at which the page is read. */
  readonly now: Date
  readonly done: string | null
  /** Says why a form was refused. */
  readonly refused: string | null
  /** True for a moderator, whose menu leads to the room of moderators. */
  readonly isModerator: boolean
}

/** The field that leads back to the same page of the list. */
const placeField = (place: CommentsPlace): Html => hidden("desk", String(commentsQueryOf(place)))

/** The form of an answer. The first of those that wait is open. */
const answer = (
  { author, id, postId }: ReceivedComment,
  key: string,
  place: CommentsPlace,
  isFirst: boolean
): Html => {
  const content = html`<summary>
      Reply<span class="sr"> to <bdi>${author.name}</bdi></span>
    </summary>
    <form class="fields" method="post" action="/respond/${postId}">
      ${hidden("key", key)}${hidden("to", id)}${placeField(place)}
      <div class="field">
        <label for="r-${id}">Your reply</label>
        <textarea id="r-${id}" name="text" rows="5" required maxlength="2000" dir="auto"></textarea>
      </div>
      <button class="button" type="submit">Post reply</button>
    </form>`
  return isFirst && place.isAll !== true
    ? html`<details open>${content}</details>`
    : html`<details>${content}</details>`
}

const deletion = ({ author, id }: ReceivedComment, place: CommentsPlace): Html =>
  html`<details>
    <summary>
      Delete<span class="sr"> the comment by <bdi>${author.name}</bdi></span>
    </summary>
    <form class="fields" method="post" action="${RECEIVED_COMMENTS}/delete">
      ${hidden("comment", id)}${placeField(place)}
      <p>Its text is erased for good. Replies to it stay.</p>
      <button class="button quiet" type="submit">Delete comment</button>
    </form>
  </details>`

/** Closes the discussion of a post, or opens it again. */
const closing = ({ post }: ReceivedComment, place: CommentsPlace): Html =>
  html`<details>
    <summary>
      ${post.commentsEnabled ? "Close comments" : "Open comments"}<span class="sr">
        on <bdi>${post.title}</bdi></span
      >
    </summary>
    <form class="fields" method="post" action="${RECEIVED_COMMENTS}/close">
      ${hidden("post", post.id)}${hidden("revision", post.updatedAt)}${hidden("closed", post.commentsEnabled ? "yes" : "no")}${placeField(place)}
      <p>
        ${
          post.commentsEnabled
            ? "Readers can no longer see or write comments on this post. You can open them again."
            : "Readers see all comments on this post again, and can write new ones."
        }
      </p>
      <button class="button quiet" type="submit">
        ${post.commentsEnabled ? "Close comments on this post" : "Open comments on this post"}
      </button>
    </form>
  </details>`

const about = ({ post }: ReceivedComment): Html =>
  html`on <a href="${post.url ?? writePath(post.id)}"><bdi>${titleText(post.title)}</bdi></a
    >${
      post.url === null && html` <span class="tag">Draft</span>`
    }${!post.commentsEnabled && html` <span class="tag">Comments closed</span>`}`

/** All that one does seldom. */
const menu = (comment: ReceivedComment, isShown: boolean, place: CommentsPlace): Html => {
  const { author, id, post, postId, threadRootId } = comment
  const of = html`<span class="sr"> the comment by <bdi>${author.name}</bdi></span>`
  return html`<details>
    <summary>
      More<span class="sr"> about the comment by <bdi>${author.name}</bdi></span>
    </summary>
    ${
      isShown &&
      html`<p class="more">
        <a href="${post.url}/comments?thread=${threadRootId}#c-${id}">See it in the discussion${of}</a>
        ·
        <a href="${respondPath(postId, id)}">Report${of}</a>
      </p>`
    }${
      place.post === undefined &&
      html`<p class="more">
        <a href="${receivedCommentsPath({ isAll: true, post: postId })}"
          >All comments on <bdi>${titleText(post.title)}</bdi></a
        >
      </p>`
    }${deletion(comment, place)}${closing(comment, place)}
  </details>`
}

const item = (
  comment: ReceivedComment,
  key: string,
  isFirst: boolean,
  { now, place }: ReceivedCommentsView
): Html => {
  const { author, content, createdAt, hasPurchased, id, post, postId, reactions } = comment
  const isShown = post.url !== null && post.commentsEnabled
  return html`<li>
    <article>
      <h2 class="by">
        ${face(author, "small")}${person(author)}${hasPurchased && html`<span class="tag">Bought this</span>`}<span>${about(comment)}</span>${since(createdAt, now)}
      </h2>
      <p class="said" dir="auto">${content}</p>
      ${
        isShown &&
        html`${reactForm({
          postId,
          commentId: id,
          counts: reactions.counts,
          pressed: reactions.viewerReaction,
          label: `React to ${brief(`${author.name}: ${content ?? ""}`, LABEL_MAX)}`,
          desk: String(commentsQueryOf(place))
        })}${answer(comment, key, place, isFirst)}`
      }${menu(comment, isShown, place)}
    </article>
  </li>`
}

const chip = (place: CommentsPlace, name: string, isCurrent: boolean): Html => {
  const path = receivedCommentsPath(place)
  return html`<li>
    ${isCurrent ? html`<a href="${path}" aria-current="page">${name}</a>` : html`<a href="${path}">${name}</a>`}
  </li>`
}

/** The lists: what waits for an answer, and all, on one post or on all posts. */
const lists = ({ place: { isAll = false, post } }: ReceivedCommentsView): Html =>
  html`<nav aria-label="List">
    <ul class="chips">
      ${chip({ post }, "To answer", !isAll)}${chip({ isAll: true, post }, "All", isAll)}${
        post !== undefined && chip({ isAll }, "On all posts", false)
      }
    </ul>
  </nav>`

const nothing = ({ place }: ReceivedCommentsView): string => {
  if (place.after !== undefined) return "There are no more comments."
  if (place.isAll !== true)
    return `Nothing to answer. Comments of ${ANSWER_DAYS} days wait here until you reply or react.`
  return place.post === undefined
    ? "Comments that readers write on your posts appear here."
    : "Comments that readers write on this post appear here."
}

/** Returns the page with the comments on the posts of an author. */
export const receivedCommentsPage = (view: ReceivedCommentsView): Page => {
  const { comments, done, next, place, refused } = view
  return formPage({
    title: "Comments on your posts",
    isWide: true,
    content: html`${deskMenu(RECEIVED_COMMENTS, view.isModerator)}${
        refused === null
          ? done !== null && isDone(done) && outcome(told[done])
          : outcome(html`<strong class="bad">${refused}</strong>`)
      }${lists(view)}${
        comments.length === 0
          ? html`<p class="lede">${nothing(view)}</p>`
          : html`<ol class="thread">
              ${comments.map(({ comment, key }, at) => item(comment, key, at === 0, view))}
            </ol>`
      }${pager(
        next === null ? null : receivedCommentsPath({ ...place, after: next }),
        place.after === undefined ? null : receivedCommentsPath({ ...place, after: undefined })
      )}
      <p id="live" class="sr" role="status"></p>`
  })
}
