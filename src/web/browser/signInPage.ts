import type { WalletChallenge } from "../../../schemas/accounts/sessions/Session.ts"
import { field, hidden } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { codeForm, emailField, isUnsent, type WrongCode } from "./codeForm.ts"
import { type Onward, onwardFields, toSignIn, withNote } from "./onward.ts"
import { textToSign } from "./textToSign.ts"

/** The step of a sign-in, and what was entered before. */
export type SignInStep =
  | {
      readonly step: "begin"
      /** The token of the page that will ask for the code. */
      readonly page: string
      readonly wrong?: "email" | "account"
      readonly email?: string
    }
  | {
      readonly step: "code"
      readonly email: string
      /** The secret part of the page's address; undefined for a page without one. */
      readonly page?: string | undefined
      /** True if the address was mailed whether or not it has an account. */
      readonly isForAll: boolean
      readonly wrong?: WrongCode | undefined
    }
  | { readonly step: "signature"; readonly challenge: WalletChallenge; readonly isWrong: boolean }

const form = (onward: Onward, content: Html, button: string): Html =>
  html`<form class="fields" method="post" action="/sign-in">
    ${onwardFields(onward)}${content}<button class="button" type="submit">${button}</button>
  </form>`

const begin = (
  onward: Onward,
  isRegistrationOpen: boolean,
  { email = "", page, wrong }: Extract<SignInStep, { readonly step: "begin" }>
): Html =>
  html`${form(onward, html`${hidden("page", page)}${emailField("Your email address", isRegistrationOpen ? "We'll email you a six-digit code, to sign in or to create your account. Readers never see your address." : "We'll email you a six-digit code. We're not taking new accounts at the moment.", wrong === "email", email)}`, "Continue")}
    <p class="note">Or sign in with a wallet:</p>
    ${form(
      onward,
      field({
        name: "account",
        label: "Address of your Nano wallet",
        hint: "It starts with nano_. You'll sign a short text with your wallet. Nothing is sent or paid.",
        wrong: wrong === "account" && "Enter the full address: nano_ and 60 more characters.",
        control: ({ by, isInvalid }) =>
          html`<input
            id="account"
            name="account"
            type="text"
            required
            maxlength="100"
            autocomplete="off"
            spellcheck="false"
            aria-describedby="${by}"
            aria-invalid="${isInvalid}"
          />`
      }),
      "Sign in with a wallet"
    )}`

const signature = (
  onward: Onward,
  { account, challengeId, message }: WalletChallenge,
  isWrong: boolean
): Html =>
  form(
    onward,
    html`${hidden("account", account)}${hidden("challengeId", challengeId)} ${textToSign(message)}
    ${field({
      name: "signature",
      label: "Signature",
      hint: "128 characters, 0 to 9 and A to F.",
      wrong: isWrong && "That signature doesn't match. Sign the text again, or start over.",
      control: ({ by, isInvalid }) =>
        html`<input
          id="signature"
          name="signature"
          type="text"
          required
          maxlength="200"
          autocomplete="off"
          spellcheck="false"
          aria-describedby="${by}"
          aria-invalid="${isInvalid}"
        />`
    })}`,
    "Sign in"
  )

/** Says where the code is. It never says whether an address has an account. */
const sentTo = (email: string, isForAll: boolean, isRegistrationOpen: boolean): string => {
  if (isForAll) return `We've just emailed a code to ${email}. It works for ten minutes.`
  const toOwner = `If ${email} has an account, we've just emailed it a code. It works for ten minutes.`
  return isRegistrationOpen ? `${toOwner} To create an account, come back in an hour.` : toOwner
}

const contentOf = (onward: Onward, step: SignInStep, isRegistrationOpen: boolean): Html => {
  if (step.step === "signature") return signature(onward, step.challenge, step.isWrong)
  if (step.step === "begin") return begin(onward, isRegistrationOpen, step)
  const { email, isForAll, page, wrong } = step
  const fields = html`${onwardFields(onward)}${hidden("email", email)}${page !== undefined && hidden("page", page)}`
  return codeForm({
    action: "/sign-in",
    hidden: fields,
    again: fields,
    hint: isUnsent(wrong)
      ? "A code works only on the page that asked for it, for ten minutes."
      : sentTo(email, isForAll, isRegistrationOpen),
    button: "Continue",
    wrong
  })
}

/** Returns the page of a step of the sign-in, which also creates accounts unless registration is closed. */
export const signInPage = (onward: Onward, step: SignInStep, isRegistrationOpen: boolean): Page =>
  formPage({
    title: isRegistrationOpen ? "Sign in or create an account" : "Sign in",
    content: withNote(
      onward,
      html`${contentOf(onward, step, isRegistrationOpen)}${step.step !== "begin" && toSignIn(onward, "Start over")}`,
      step.step === "begin" && step.wrong === undefined
    )
  })
