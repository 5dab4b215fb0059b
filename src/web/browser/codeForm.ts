import { LENGTHS } from "../../platform/http/SentForm.ts"
import { field } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import { type UnsentMail, waitInWords } from "./unsentMail.ts"

/** The reason why the page asks for a code again. */
export type WrongCode = "code" | UnsentMail

const sentenceOf = (wrong: WrongCode): string | false => {
  if (wrong === "code")
    return "That code is wrong or has expired. Enter the six digits of the newest one, or start over."
  const { reason, waitSeconds } = wrong
  const wait = waitInWords(waitSeconds)
  if (reason === "recent")
    return waitSeconds > 0 && `We just sent you a code. Enter the newest one, or ask for another in ${wait}.`
  return waitSeconds > 0
    ? `We can't email this address again yet. Ask for a code in ${wait}.`
    : "You can ask for a code now."
}

/** Returns true if no code is on its way. */
export const isUnsent = (wrong: WrongCode | undefined): boolean =>
  wrong !== undefined && wrong !== "code" && wrong.reason === "mailbox"

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

/** Asks for the code of a mail. */
export const codeForm = ({ action, again, button, hidden, hint, wrong }: CodeForm): Html =>
  html`<form class="fields" method="post" action="${action}">
      ${hidden}${field({
        name: "code",
        label: "Code",
        hint,
        // The field itself has it.
        isFocused: false,
        wrong: wrong !== undefined && sentenceOf(wrong),
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
      ${again}${!isUnsent(wrong) && html`<p class="note">No email yet? Check your spam folder.</p>`}
      <button class="button quiet" type="submit">
        ${isUnsent(wrong) ? "Email me a code" : "Send it again"}
      </button>
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
