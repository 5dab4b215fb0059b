import { hidden } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { codeForm, emailField, type WrongCode } from "../sign-in/codeForm.ts"

/** The step of a registration, and what was entered before. */
export type SignUpStep =
  /** `key` names the registration, so that two presses of the button send one mail. */
  | { readonly step: "begin"; readonly key: string; readonly isWrong: boolean; readonly email: string }
  | {
      readonly step: "code"
      readonly email: string
      readonly registrationId: string
      readonly wrong?: WrongCode
    }

const begin = (back: string, key: string, isWrong: boolean, email: string): Html =>
  html`<form class="fields" method="post" action="/sign-up">
    ${hidden("back", back)}${hidden("key", key)}${emailField("Your email address", "We'll email you a six-digit code. Readers never see your address.", isWrong, email)}<button
      class="button"
      type="submit"
    >
      Email me a code
    </button>
  </form>`

const contentOf = (back: string, step: SignUpStep): Html => {
  if (step.step === "begin") return begin(back, step.key, step.isWrong, step.email)
  const { email, registrationId, wrong } = step
  return codeForm({
    action: "/sign-up",
    hidden: html`${hidden("back", back)}${hidden("email", email)}${hidden("registrationId", registrationId)}`,
    again: html`${hidden("back", back)}${hidden("email", email)}${hidden("registrationId", registrationId)}${hidden("key", registrationId)}`,
    hint: `We've just emailed a code to ${email}. It works for ten minutes.`,
    button: "Create account",
    wrong
  })
}

/** Returns the page of a step of the registration. */
export const signUpPage = (back: string, step: SignUpStep): Page => {
  const query = `?back=${encodeURIComponent(back)}`
  return formPage({
    title: "Create account",
    content: html`${contentOf(back, step)}
      <p class="note">
        ${step.step === "code" && html`<a href="/sign-up${query}">Start over</a> · `}<a
          href="/sign-in${query}"
          >I already have an account</a
        >
      </p>`
  })
}
