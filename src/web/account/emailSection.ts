import { hidden } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import { ACCOUNT } from "../browser/paths.ts"
import { type AccountView, stateOf } from "./accountView.ts"
import { textField } from "./textField.ts"

interface EmailForm {
  readonly email: string
  readonly wrong?: string | undefined
}

/** The form that asks for another email address. */
const emailForm = ({ email, wrong }: EmailForm): Html =>
  html`<form class="fields" method="post" action="${ACCOUNT}/email">
    ${textField({
      name: "email",
      label: "New email address",
      hint: "We'll email it a six-digit code.",
      value: email,
      max: 320,
      mode: "email",
      autocomplete: "email",
      wrong
    })}<button class="button" type="submit">Email me a code</button>
  </form>`

interface CodeForm {
  readonly code: string
  readonly wrong?: string | undefined
}

/** The form that takes the code of the mail. */
const codeForm = ({ code, wrong }: CodeForm): Html =>
  html`<form class="fields" method="post" action="${ACCOUNT}/email/code">
    ${textField({
      name: "code",
      label: "Code",
      hint: "Six digits. It works for ten minutes.",
      value: code,
      max: 500,
      mode: "numeric",
      autocomplete: "one-time-code",
      wrong
    })}<button class="button" type="submit">Confirm this address</button>
  </form>`

const pending = (view: AccountView, address: string): Html => {
  const { value, wrong } = stateOf(view, "code")
  const { email } = view.me.identity
  return html`<p>We've emailed a code to <bdi>${address}</bdi>. Enter it to confirm the address.</p>
    ${codeForm({ code: value, wrong })}
    <form class="act" method="post" action="${ACCOUNT}/email/again">
      <button class="button quiet" type="submit">Send it again</button>
    </form>
    ${
      email !== null &&
      html`<form class="act" method="post" action="${ACCOUNT}/email">
        ${hidden("email", email)}<button class="button quiet" type="submit">Keep ${email}</button>
      </form>`
    }`
}

/** Returns the part of the account with its email address. */
export const emailSection = (view: AccountView): Html => {
  const { email } = view.me.identity
  const { value, wrong } = stateOf(view, "email")
  return html`<section class="files" aria-labelledby="email-address">
    <h2 class="label" id="email-address">Email address</h2>
    <p>
      ${
        email === null
          ? "Your account has no email address. Add one, and you can also sign in with a code we email you."
          : html`<bdi>${email}</bdi> is confirmed. You can sign in with it.`
      }
    </p>
    ${view.pendingEmail !== null && pending(view, view.pendingEmail)}${emailForm({ email: value, wrong })}
  </section>`
}
