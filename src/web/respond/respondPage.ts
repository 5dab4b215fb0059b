import { Schema } from "effect"
import type { Follow } from "../../../schemas/engagement/follows/Follow.ts"
import type { Reaction } from "../../../schemas/engagement/reactions/Reaction.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { field, hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { DESK } from "../browser/paths.ts"
import { followingPath } from "../following/followingPage.ts"
import { giftsPath } from "../gifts/issue/giftsPath.ts"
import { followForm, followingForms, isMailed } from "../pages/parts/followForm.ts"
import { reactForm } from "../pages/parts/reactions.ts"
import type { ReactionsView } from "../pages/parts/views.ts"

/** The outcome of a form that the next page reports. */
export const Done = Schema.Literals(["sent", "deleted", "reported", "saved"])
export type Done = typeof Done.Type

/** Forms whose text is returned after a refusal. */
type WrittenForm = "comment" | "report"

/** A text that was refused, and the reason in a sentence. */
export interface Refused {
  readonly form: WrittenForm
  readonly text: string
  readonly reason: string
}

/** The Comment that a reader answers, reacts to, reports or deletes. */
interface AnsweredView {
  readonly id: string
  readonly threadRootId: string
  readonly author: { readonly name: string }
  /** Plain text; null once the Comment is deleted. */
  readonly content: string | null
  readonly isOwn: boolean
}

interface RespondView {
  readonly post: {
    readonly id: PostId
    readonly title: string
    readonly url: string
    /** Null for a free Post. */
    readonly priceRaw: string | null
    readonly author: { readonly id: string; readonly name: string; readonly handle: string }
  }
  /** The Comment that the page is about; null for the Post itself. */
  readonly to: string | null
  /** The same Comment. */
  readonly comment: AnsweredView | null
  /** Name the comment and the report of this page, so that each counts only once, however often it is sent. */
  readonly keys: Readonly<Record<WrittenForm, string>>
  readonly reader: {
    readonly reaction: Reaction | null
    readonly counts: ReactionsView | undefined
    readonly follow: Follow | null
    /** True for the author of the Post, who deletes any comment on it, and does not react to it. */
    readonly isAuthor: boolean
  }
  readonly done: Done | null
  readonly refused: Refused | null
  /** The page of received comments to which the author goes back; null for a reader who came from the site. */
  readonly desk: string | null
}

/** Returns the path of the page on which a reader responds to a Post, or to a Comment on it. */
export const respondPath = (
  postId: string,
  comment: string | null = null,
  done: Done | null = null
): string => {
  const query = [...(comment === null ? [] : [`to=${comment}`]), ...(done === null ? [] : [`done=${done}`])]
  return query.length === 0 ? `/respond/${postId}` : `/respond/${postId}?${query.join("&")}`
}

const target = ({ desk, to }: RespondView): Html =>
  html`${to !== null && hidden("to", to)}${desk !== null && hidden("desk", desk)}`

interface Written {
  readonly form: WrittenForm
  readonly label: string
  readonly hint: string
  readonly action: string
  readonly button: string
}

const written = (view: RespondView, { action, button, form, hint, label }: Written): Html => {
  const wrong = view.refused?.form === form ? view.refused : null
  return html`<form class="fields" method="post" action="${action}">
    ${hidden("key", view.keys[form])}${target(view)}${field({
      name: form,
      label,
      hint,
      wrong: wrong?.reason,
      // The page tells the reason at its top.
      isFocused: false,
      control: ({ by, isInvalid }) =>
        html`<textarea
          id="${form}"
          name="text"
          rows="5"
          required
          maxlength="2000"
          dir="auto"
          aria-describedby="${by}"
          aria-invalid="${isInvalid}"
        >
${wrong?.text}</textarea>`
    })}<button class="button" type="submit">${button}</button>
  </form>`
}

const words: Readonly<Record<Done, string>> = {
  sent: "Your comment is public.",
  deleted: "The comment was deleted.",
  reported: "Thank you. Our moderators will look into it.",
  saved: "Saved."
}

/** The whole discussion, from where a comment is seen among the others. */
const shownAt = ({ comment, post: { url } }: RespondView): string =>
  comment === null ? url : `${url}/comments?thread=${comment.threadRootId}#c-${comment.id}`

const told = (view: RespondView): Html | false => {
  const { done, refused } = view
  if (refused !== null) return outcome(html`<strong class="bad">${refused.reason}</strong>`)
  if (done === null) return false
  return outcome(
    html`${words[done]}${done === "sent" && html` <a href="${shownAt(view)}">See it in the discussion</a>`}`
  )
}

const answered = ({ comment }: RespondView): Html | false =>
  comment !== null &&
  html`<blockquote class="quoted">
    <p class="hint"><bdi>${comment.author.name}</bdi>${comment.isOwn && " (you)"} wrote:</p>
    ${comment.content === null ? html`<p class="said gone">This comment was deleted.</p>` : html`<p class="said" dir="auto">${comment.content}</p>`}
  </blockquote>`

const deletion = (view: RespondView): Html | false => {
  const { comment, post, reader } = view
  const isAllowed = comment?.isOwn === true || reader.isAuthor
  return (
    comment !== null &&
    comment.content !== null &&
    isAllowed &&
    html`<details>
      <summary>Delete this comment</summary>
      <form class="fields" method="post" action="/respond/${post.id}/delete">
        ${target(view)}
        <p>Its text is erased for good. Replies to it stay.</p>
        <button class="button quiet" type="submit">Delete comment</button>
      </form>
    </details>`
  )
}

const report = (view: RespondView): Html => {
  const { post, refused, to } = view
  const what = to === null ? "post" : "comment"
  const form = written(view, {
    form: "report",
    label: "Reason",
    hint: "Only moderators read it.",
    action: `/report/${post.id}`,
    button: "Report"
  })
  const summary = html`<summary>Report this ${what}</summary>`
  return refused?.form === "report"
    ? html`<details open>${summary}${form}</details>`
    : html`<details>${summary}${form}</details>`
}

const reactions = ({ comment, post, reader, to }: RespondView): Html | false => {
  const isOwn = comment === null ? reader.isAuthor : comment.isOwn
  return (
    !isOwn &&
    comment?.content !== null &&
    reactForm({ postId: post.id, commentId: to, counts: reader.counts, pressed: reader.reaction })
  )
}

const following = ({ post, reader, to }: RespondView): Html | false => {
  if (to !== null) return false
  if (reader.isAuthor)
    return html`<p class="note">This is you, the author. <a href="${DESK}">Go to your desk</a></p>`
  const place = { ...post.author, postId: post.id }
  const { follow } = reader
  return follow === null
    ? followForm(place)
    : html`<section class="keep" aria-labelledby="follow">
        <h2 class="label" id="follow">Following &#x2713;</h2>
        <p>New posts by <bdi>${post.author.name}</bdi> appear on <a href="${followingPath}">your desk</a>.</p>
        ${followingForms({ ...place, isMailed: isMailed(follow) })}
      </section>`
}

/** Returns the page with the forms of a reader about one Post, or about a Comment on it. */
export const respondPage = (view: RespondView): Page => {
  const { comment, post, reader, to } = view
  return formPage({
    title: `Respond to ${post.title}`,
    kicker: "Respond",
    heading: html`<bdi>${post.title}</bdi>`,
    content: html`${told(view)}${answered(view)}${reactions(view)}${
        comment?.content !== null &&
        written(view, {
          form: "comment",
          label: to === null ? "Your comment" : "Your reply",
          hint: "Plain text, up to 2000 characters. Everyone can see it.",
          action: `/respond/${post.id}`,
          button: to === null ? "Post comment" : "Post reply"
        })
      }${following(view)}${deletion(view)}${comment?.isOwn !== true && comment?.content !== null && report(view)}
      <p id="live" class="sr" role="status"></p>
      ${
        to === null &&
        reader.isAuthor &&
        post.priceRaw !== null &&
        html`<p class="note"><a href="${giftsPath(post.id)}">Give this post to readers</a></p>`
      }
      <p class="note">
        <a href="${shownAt(view)}">Back to the ${to === null ? "post" : "discussion"}</a>
      </p>`
  })
}
