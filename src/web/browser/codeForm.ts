import { LENGTHS } from "../../platform/http/SentForm.ts"
import { field } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"

/** The reason why the page asks for a code again. */
export type WrongCode = "code" | "soon"

const words: Readonly<Record<WrongCode, string>> = {
  code: "That code is wrong or has expired. Enter the six digits of the newest one, or start over.",
  soon: "We just sent you a code. Enter the newest one, or wait a while before you ask for another."
}

/** A form that takes the code of a mail. */
interface CodeForm {
  readonly action: string
  /** The fields that say whose code it is, and where its reader goes on. */
  readonly hidden: Html
  /** The fields that ask for another code. */
  readonly again: Html
  readonly hint: string
  readonly button: string
  readonly wrong?: WrongCode | undefined
}

/** Asks for the code of a mail, to sign in or to create an account. */
export const codeForm = ({ action, again, button, hidden, hint, wrong }: CodeForm): Html =>
  html`<form class="fields" method="post" action="${action}">
      ${hidden}${field({
        name: "code",
        label: "Code",
        hint,
        // The field itself has it.
        isFocused: false,
        wrong: wrong !== undefined && words[wrong],
        control: ({ by, isInvalid }) =>
          html`<input
            id="code"
            name="code"
            type="text"
            required
            inputmode="numeric"
            maxlength="${LENGTHS.line}"
            autocomplete="one-time-code"
            autofocus
            aria-describedby="${by}"
            aria-invalid="${isInvalid}"
          />`
      })}<button class="button" type="submit">${button}</button>
    </form>
    <form method="post" action="${action}">
      ${again}
      <p class="note">No email yet? Check your spam folder.</p>
      <button class="button quiet" type="submit">Send it again</button>
    </form>`

/** Asks for an email address. */
export const emailField = (label: string, hint: string, isWrong: boolean, value = ""): Html =>
  field({
    name: "email",
    label,
    hint,
    wrong: isWrong && "Enter a full email address, such as ada@example.com.",
    control: ({ by, isInvalid }) =>
      html`<input
        id="email"
        name="email"
        type="email"
        required
        maxlength="254"
        autocomplete="email"
        value="${value}"
        aria-describedby="${by}"
        aria-invalid="${isInvalid}"
      />`
  })
