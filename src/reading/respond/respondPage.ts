import type { Reaction } from "../../../schemas/engagement/reactions/Reaction.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { REACTIONS } from "../pages/parts/reactions.ts"

/** Forms whose text a refusal gives back. */
type WrittenForm = "comment" | "report"

/** A text that was not taken, and the reason in a sentence. */
export interface Refused {
  readonly form: WrittenForm
  readonly text: string
  readonly reason: string
}

interface RespondView {
  readonly post: {
    readonly id: string
    readonly title: string
    readonly url: string
    readonly author: { readonly id: string; readonly name: string }
  }
  /** Name the comment and the report of this page, so that each counts once however often it is sent. */
  readonly keys: Readonly<Record<WrittenForm, string>>
  /** Null for a reader who is not signed in. */
  readonly state: { readonly reaction: Reaction | null; readonly isFollowing: boolean } | null
  readonly refused: Refused | null
  /** The Comment that is answered. */
  readonly replyTo: string | null
}

const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}" />`

const react = ({ post, state }: RespondView): Html =>
  html`<form class="amounts" method="post" action="/react/${post.id}">
    ${REACTIONS.map(
      ({ face, name, reaction }) =>
        html`<button
          class="button quiet"
          type="submit"
          name="reaction"
          value="${state?.reaction === reaction ? "none" : reaction}"
          aria-pressed="${state?.reaction === reaction ? "true" : "false"}"
        >
          <span aria-hidden="true">${face}</span><span class="sr">${name}</span>
        </button>`
    )}
  </form>`

interface Written {
  readonly form: WrittenForm
  readonly label: string
  readonly hint: string
  readonly action: string
  readonly button: string
}

const written = (
  { keys, refused, replyTo }: RespondView,
  { action, button, form, hint, label }: Written
): Html => {
  const wrong = refused?.form === form ? refused : null
  return html`<form class="fields" method="post" action="${action}">
    ${hidden("key", keys[form])}${form === "comment" && replyTo !== null && hidden("replyTo", replyTo)}
    <div class="field">
      <label for="${form}">${label}</label>
      <textarea
        id="${form}"
        name="text"
        rows="5"
        required
        maxlength="2000"
        dir="auto"
        aria-describedby="${form}-hint"
      >
${wrong?.text}</textarea>
      <p class="hint" id="${form}-hint">
        ${wrong === null ? hint : html`<strong class="bad">${wrong.reason}</strong>`}
      </p>
    </div>
    <button class="button" type="submit">${button}</button>
  </form>`
}

const follow = ({ post: { author, id }, state }: RespondView): Html =>
  html`<form method="post" action="/follow/${author.id}">
    ${hidden("post", id)}${hidden("following", state?.isFollowing === true ? "false" : "true")}
    <button class="button quiet" type="submit">
      ${state?.isFollowing === true ? "Unfollow" : "Follow"} <bdi>${author.name}</bdi>
    </button>
  </form>`

/** Returns the page with the forms of a reader about one Post. */
export const respondPage = (view: RespondView): Page => {
  const { post, replyTo, state } = view
  return {
    title: `Respond to ${post.title} · Pennypress`,
    isIndexed: false,
    main: html`<div class="message">
      <p class="kicker">Respond</p>
      <h1><bdi>${post.title}</bdi></h1>
      ${
        state === null &&
        html`<p class="state" role="status">
          You are not signed in.
          <a href="/sign-in?back=${encodeURIComponent(`/respond/${post.id}`)}" target="_blank" rel="noopener"
            >Sign in in a new tab</a
          >, then come back and press the button again: your text stays here.
        </p>`
      }${react(view)}${written(view, {
        form: "comment",
        label: replyTo === null ? "Your comment" : "Your reply",
        hint: "Plain text, up to 2000 characters. Everyone sees it.",
        action: `/respond/${post.id}`,
        button: "Send"
      })}${follow(view)}
      <details>
        <summary>Report this Post</summary>
        ${written(view, {
          form: "report",
          label: "Reason",
          hint: "Moderators alone read it.",
          action: `/report/${post.id}`,
          button: "Report"
        })}
      </details>
      <p class="note"><a href="${post.url}">Go back to the Post</a></p>
    </div>`
  }
}
