import type { Reaction } from "../../../../schemas/engagement/reactions/Reaction.ts"
import { hidden } from "../../../platform/pages/fields.ts"
import { type Html, html } from "../../../platform/pages/html.ts"
import { english, type PageWords } from "../words/wordsIn.ts"
import type { ReactionsView } from "./views.ts"

/**
 * The reactions as readers see and hear them. One character beyond Latin-1 would have the whole page encoded four times as
 * slowly (40 µs), so they are references.
 */
const REACTIONS = [
  { reaction: "thumbs_up", face: html`&#x1f44d;` },
  { reaction: "heart", face: html`&#x2764;&#xfe0f;` },
  { reaction: "fire", face: html`&#x1f525;` },
  { reaction: "clap", face: html`&#x1f44f;` }
] as const

/** The reactions that a Post or a Comment has; nothing without any. */
export const reactions = (counts: ReactionsView, words: PageWords, size = ""): Html | false => {
  const some = REACTIONS.filter(({ reaction }) => counts[reaction] > 0)
  return (
    some.length > 0 &&
    html`<ul class="counts ${size}" aria-label="${words.reactions}">
      ${some.map(
        ({ face, reaction }) =>
          html`<li>
            <span aria-hidden="true">${face}</span
            ><span class="sr">${words.reaction[reaction]}: </span>${words.number(counts[reaction])}
          </li>`
      )}
    </ul>`
  )
}

/** The target of a reaction, with what is known of it. */
interface ReactView {
  readonly postId: string
  /** The Comment on the Post that the form is for; null for the Post. */
  readonly commentId: string | null
  readonly counts: ReactionsView | undefined
  /** The reaction of the reader; undefined where the page is the same for every reader. */
  readonly pressed: Reaction | null | undefined
  /** The page of the desk to which the form leads back. */
  readonly desk?: string
  /** The name of the form, where a page has several. */
  readonly label?: string
  readonly words?: PageWords
}

/** One form with a button for each reaction. A second press takes it back. The script sends it in place. */
export const reactForm = ({
  commentId,
  counts,
  desk,
  words = english,
  label = words.react,
  postId,
  pressed
}: ReactView): Html =>
  html`<form class="counts" method="post" action="/react/${postId}" aria-label="${label}" data-in-place>
    ${commentId !== null && hidden("to", commentId)}${desk !== undefined && hidden("desk", desk)}${REACTIONS.map(
      ({ face, reaction }) => {
        const content = html`<span aria-hidden="true">${face}</span
          ><span class="sr">${words.reaction[reaction]}</span
          ><span data-count
            >${counts !== undefined && counts[reaction] > 0 && ` ${words.number(counts[reaction])}`}</span
          >`
        return pressed === undefined
          ? html`<button
              class="button quiet"
              type="submit"
              name="reaction"
              value="${reaction}"
              data-state="${reaction}"
            >
              ${content}
            </button>`
          : html`<button
              class="button quiet"
              type="submit"
              name="reaction"
              value="${pressed === reaction ? "none" : reaction}"
              data-state="${reaction}"
              aria-pressed="${pressed === reaction ? "true" : "false"}"
            >
              ${content}
            </button>`
      }
    )}
  </form>`
