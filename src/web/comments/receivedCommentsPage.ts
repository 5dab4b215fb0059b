import type { ReceivedComment } from "../../../schemas/engagement/comments/page.ts"
import { hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { deskMenu } from "../browser/deskMenu.ts"
import { RECEIVED_COMMENTS, receivedCommentsPath } from "../browser/paths.ts"
import { pager } from "../pages/parts/pager.ts"
import { face, person } from "../pages/parts/people.ts"
import { day } from "../pages/parts/values.ts"
import { respondPath } from "../respond/respondPage.ts"
import { writePath } from "../write/writePage.ts"

/** The outcome of a form that the next page reports. */
const told = {
  sent: "Your reply is public.",
  deleted: "The comment was deleted.",
  closed: "Comments on that post are closed, and readers no longer see them.",
  opened: "Readers can see and write comments on that post again."
}
type Done = keyof typeof told

const isDone = (text: string): text is Done => Object.hasOwn(told, text)

interface ReceivedCommentsView {
  /** Each comment with the Idempotency-Key of its answer. */
  readonly comments: ReadonlyArray<{ readonly comment: ReceivedComment; readonly key: string }>
  /** The cursor behind which the page begins, and that of the next page. */
  readonly after: string | null
  readonly next: string | null
  readonly done: string | null
  /** Says why a form was refused. */
  readonly refused: string | null
  /** True for a moderator, whose menu leads to the room of moderators. */
  readonly isModerator: boolean
}

/** The field that leads back to the same page of the list. */
const place = (after: string | null): Html => hidden("desk", after ?? "")

const answer = ({ author, id, postId }: ReceivedComment, key: string, after: string | null): Html =>
  html`<details>
    <summary>
      Reply<span class="sr"> to <bdi>${author.name}</bdi></span>
    </summary>
    <form class="fields" method="post" action="/respond/${postId}">
      ${hidden("key", key)}${hidden("to", id)}${place(after)}
      <div class="field">
        <label for="r-${id}">Your reply</label>
        <textarea id="r-${id}" name="text" rows="5" required maxlength="2000" dir="auto"></textarea>
      </div>
      <button class="button" type="submit">Post reply</button>
    </form>
  </details>`

const deletion = ({ author, id }: ReceivedComment, after: string | null): Html =>
  html`<details>
    <summary>
      Delete<span class="sr"> the comment by <bdi>${author.name}</bdi></span>
    </summary>
    <form class="fields" method="post" action="${RECEIVED_COMMENTS}/delete">
      ${hidden("comment", id)}${place(after)}
      <p>Its text is erased for good. Replies to it stay.</p>
      <button class="button quiet" type="submit">Delete comment</button>
    </form>
  </details>`

/** Closes the discussion of a post, or opens it again. */
const closing = ({ post }: ReceivedComment, after: string | null): Html =>
  html`<details>
    <summary>
      ${post.commentsEnabled ? "Close comments" : "Open comments"}<span class="sr">
        on <bdi>${post.title}</bdi></span
      >
    </summary>
    <form class="fields" method="post" action="${RECEIVED_COMMENTS}/close">
      ${hidden("post", post.id)}${hidden("revision", post.updatedAt)}${hidden("closed", post.commentsEnabled ? "yes" : "no")}${place(after)}
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
  html`on
    <a href="${post.url ?? writePath(post.id)}"><bdi>${post.title === "" ? "Untitled" : post.title}</bdi></a
    >${
      post.url === null && html` <span class="tag">Draft</span>`
    }${!post.commentsEnabled && html` <span class="tag">Comments closed</span>`}`

const item = (comment: ReceivedComment, key: string, after: string | null): Html => {
  const { author, content, createdAt, hasPurchased, id, post, postId, threadRootId } = comment
  const isShown = post.url !== null && post.commentsEnabled
  return html`<li>
    <article>
      <h2 class="by">
        ${face(author, "small")}${person(author)}${hasPurchased && html`<span class="tag">Bought this</span>`}<span>${about(comment)}</span>${day(createdAt, "en")}
      </h2>
      <p class="said" dir="auto">${content}</p>
      ${
        isShown &&
        html`<p class="more">
            <a href="${post.url}/comments?thread=${threadRootId}#c-${id}"
              >See it in the discussion<span class="sr">: the comment by <bdi>${author.name}</bdi></span></a
            >
            ·
            <a href="${respondPath(postId, id)}"
              >Report<span class="sr"> the comment by <bdi>${author.name}</bdi></span></a
            >
          </p>
          ${answer(comment, key, after)}`
      }${deletion(comment, after)}${closing(comment, after)}
    </article>
  </li>`
}

/** Returns the page with the newest comments on all posts of an author. */
export const receivedCommentsPage = (view: ReceivedCommentsView): Page => {
  const { after, comments, done, next, refused } = view
  return formPage({
    title: "Comments on your posts",
    content: html`${deskMenu(RECEIVED_COMMENTS, view.isModerator)}${
      refused === null
        ? done !== null && isDone(done) && outcome(told[done])
        : outcome(html`<strong class="bad">${refused}</strong>`)
    }${
      comments.length === 0
        ? html`<p class="lede">
            ${after === null ? "Comments that readers write on your posts appear here." : "There are no more comments."}
          </p>`
        : html`<ol class="thread">
            ${comments.map(({ comment, key }) => item(comment, key, after))}
          </ol>`
    }${pager(next === null ? null : receivedCommentsPath(next), after === null ? null : RECEIVED_COMMENTS)}`
  })
}
