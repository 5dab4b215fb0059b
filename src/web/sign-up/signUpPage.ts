import { hidden } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { codeForm, emailField, type WrongCode } from "../sign-in/codeForm.ts"

/** The step of a registration, and what was entered before. */
export type SignUpStep =
  /** `key` names the registration, so that two presses of the button send one mail. */
  | { readonly step: "begin"; readonly key: string; readonly isWrong: boolean }
  | {
      readonly step: "code"
      readonly email: string
      readonly registrationId: string
      readonly wrong?: WrongCode
    }

const begin = (back: string, key: string, isWrong: boolean): Html =>
  html`<form class="fields" method="post" action="/sign-up">
    ${hidden("back", back)}${hidden("key", key)}${emailField("Your e-mail address", "We will send you a six-digit code. Readers never see your address.", isWrong)}<button
      class="button"
      type="submit"
    >
      Send a code
    </button>
  </form>`

const contentOf = (back: string, step: SignUpStep): Html => {
  if (step.step === "begin") return begin(back, step.key, step.isWrong)
  const { email, registrationId, wrong } = step
  return codeForm({
    action: "/sign-up",
    hidden: html`${hidden("back", back)}${hidden("email", email)}${hidden("registrationId", registrationId)}`,
    hint: `A mail is on its way to ${email}. Its code is valid for ten minutes.`,
    button: "Make the account",
    wrong
  })
}

/** Returns the page of a step of the registration. */
export const signUpPage = (back: string, step: SignUpStep): Page => {
  const query = `?back=${encodeURIComponent(back)}`
  return formPage({
    title: "Make an account",
    content: html`${contentOf(back, step)}
      <p class="note">
        ${step.step === "code" && html`<a href="/sign-up${query}">Begin again</a> · `}<a
          href="/sign-in${query}"
          >I have an account</a
        >
      </p>`
  })
}
