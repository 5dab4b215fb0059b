import { field } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"

/** The reason why the page asks for a code again. */
export type WrongCode = "code" | "soon"

const words: Readonly<Record<WrongCode, string>> = {
  code: "This code is wrong or no longer valid. Enter the newest one, or begin again.",
  soon: "A code was sent a moment ago, so no other one is sent now. Enter the newest one, or wait a while."
}

/** A form that takes the code of a mail. */
interface CodeForm {
  readonly action: string
  /** The fields that say whose code it is, and where its reader goes on. */
  readonly hidden: Html
  readonly hint: string
  readonly button: string
  readonly wrong?: WrongCode | undefined
}

/** Asks for the code of a mail, to sign in or to make an account. */
export const codeForm = ({ action, button, hidden, hint, wrong }: CodeForm): Html =>
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
          pattern="[0-9]{6}"
          maxlength="6"
          autocomplete="one-time-code"
          autofocus
          aria-describedby="${by}"
          aria-invalid="${isInvalid}"
        />`
    })}<button class="button" type="submit">${button}</button>
  </form>`

/** Asks for an e-mail address. */
export const emailField = (label: string, hint: string, isWrong: boolean): Html =>
  field({
    name: "email",
    label,
    hint,
    wrong: isWrong && "Enter a whole e-mail address, such as ada@example.com.",
    control: ({ by, isInvalid }) =>
      html`<input
        id="email"
        name="email"
        type="email"
        required
        maxlength="254"
        autocomplete="email"
        aria-describedby="${by}"
        aria-invalid="${isInvalid}"
      />`
  })
