import { enteredText, KEPT_FIELD } from "../../platform/pages/entered.ts"
import { hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { buttonTo, messagePage } from "../../platform/pages/messagePage.ts"

/** A form that waits for a sign-in. */
interface Waiting {
  /** The form as the pages of the sign-in carry it. */
  readonly sealed: string
  /** The path and query to which it is sent. */
  readonly path: string
  /** The text that the reader wrote in it. */
  readonly entered: string
}

/** The page, or the form, that follows after a sign-in. */
export interface Onward {
  readonly back: string
  /** The form that is sent then; null for a reader who only signs in. */
  readonly waiting: Waiting | null
  /** A sentence about that form: what happens to it, or why it cannot be sent. */
  readonly note: string | null
}

/** Returns the fields by which the pages of a sign-in carry where it leads. */
export const onwardFields = ({ back, waiting }: Onward): Html =>
  html`${hidden("back", back)}${waiting !== null && hidden(KEPT_FIELD, waiting.sealed)}`

/**
 * Surrounds a step of the sign-in with what is said about the form that waits for it, and with its text. The sentence has the
 * focus unless the step has it.
 */
export const withNote = ({ note, waiting }: Onward, step: Html, isFocused: boolean): Html =>
  html`${note !== null && (isFocused ? outcome(note) : html`<p class="state">${note}</p>`)}${step}${waiting !== null && enteredText(waiting.entered)}`

/** Returns a link to the beginning of the sign-in. With a form that waits it is a button, so that no address has the form. */
export const toSignIn = (onward: Onward, name: string): Html =>
  onward.waiting === null
    ? html`<p class="note"><a href="/sign-in?back=${encodeURIComponent(onward.back)}">${name}</a></p>`
    : html`<form method="post" action="/sign-in">
        ${onwardFields(onward)}<button class="button quiet" type="submit">${name}</button>
      </form>`

/** Tells a reader who has signed in that the form which waited cannot be sent. */
export const lostPage = (back: string, note: string): Page =>
  messagePage({ title: "You're signed in", said: note, more: buttonTo(back, "Go on") })
