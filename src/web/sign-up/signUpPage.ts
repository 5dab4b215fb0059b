import { hidden } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { codeForm, emailField, isUnsent, type WrongCode } from "../browser/codeForm.ts"
import { type Onward, onwardFields, otherWay, withNote } from "../browser/onward.ts"

/** The step of a registration, and what was entered before. */
export type SignUpStep =
  /** `key` names the registration, so that two presses of the button send one mail. */
  | { readonly step: "begin"; readonly key: string; readonly isWrong: boolean; readonly email: string }
  | {
      readonly step: "code"
      readonly email: string
      readonly registrationId: string
      /** The secret part of the page's address; undefined for a page without one. */
      readonly page?: string | undefined
      readonly wrong?: WrongCode | undefined
    }

const begin = (onward: Onward, key: string, isWrong: boolean, email: string): Html =>
  html`<form class="fields" method="post" action="/sign-up">
    ${onwardFields(onward)}${hidden("key", key)}${emailField("Your email address", "We'll email you a six-digit code. Readers never see your address.", isWrong, email)}<button
      class="button"
      type="submit"
    >
      Email me a code
    </button>
  </form>`

const contentOf = (onward: Onward, step: SignUpStep): Html => {
  if (step.step === "begin") return begin(onward, step.key, step.isWrong, step.email)
  const { email, page, registrationId, wrong } = step
  const fields = html`${onwardFields(onward)}${hidden("email", email)}${hidden("registrationId", registrationId)}${page !== undefined && hidden("page", page)}`
  return codeForm({
    action: "/sign-up",
    hidden: fields,
    again: html`${fields}${hidden("key", registrationId)}`,
    hint: isUnsent(wrong)
      ? "A code of an earlier email works for ten minutes."
      : `We've just emailed a code to ${email}. It works for ten minutes.`,
    button: "Create account",
    wrong
  })
}

/** Returns the page of a step of the registration. */
export const signUpPage = (onward: Onward, step: SignUpStep): Page =>
  formPage({
    title: "Create account",
    content: withNote(
      onward,
      html`${contentOf(onward, step)}${step.step === "code" && otherWay(onward, "/sign-up", "Start over")}${otherWay(onward, "/sign-in", "I already have an account")}`,
      step.step === "begin" && !step.isWrong
    )
  })
