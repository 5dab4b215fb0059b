import type { WalletChallenge } from "../../../schemas/accounts/sessions/Session.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"

/** The step of a sign-in, and what was entered before. */
export type SignInStep =
  | { readonly step: "begin"; readonly wrong?: "email" | "account" }
  | { readonly step: "code"; readonly email: string; readonly isWrong: boolean }
  | { readonly step: "signature"; readonly challenge: WalletChallenge; readonly isWrong: boolean }

interface Field {
  readonly name: string
  readonly label: string
  readonly hint: string
  readonly wrong?: string | false | undefined
  readonly control: (describedBy: string) => Html
}

const field = ({ control, hint, label, name, wrong }: Field): Html =>
  html`<div class="field">
    <label for="${name}">${label}</label>
    ${control(`${name}-hint`)}
    <p class="hint" id="${name}-hint">
      ${typeof wrong === "string" ? html`<strong class="bad">${wrong}</strong>` : hint}
    </p>
  </div>`

const form = (back: string, content: Html, button: string): Html =>
  html`<form class="fields" method="post" action="/sign-in">
    <input type="hidden" name="back" value="${back}" />
    ${content}<button class="button" type="submit">${button}</button>
  </form>`

const begin = (back: string, wrong: "email" | "account" | undefined): Html =>
  html`${form(
      back,
      field({
        name: "email",
        label: "E-mail address of your account",
        hint: "We send you a code of six digits.",
        wrong: wrong === "email" && "Enter a whole e-mail address, such as ada@example.com.",
        control: (hint) =>
          html`<input
            id="email"
            name="email"
            type="email"
            required
            maxlength="254"
            autocomplete="email"
            aria-describedby="${hint}"
          />`
      }),
      "Send a code"
    )}
    <p class="note">Or, with an account or without one yet:</p>
    ${form(
      back,
      field({
        name: "account",
        label: "Address of your Nano wallet",
        hint: "It begins with nano_. You sign a text with it: nothing is sent, and nothing is paid.",
        wrong: wrong === "account" && "Enter the whole address of a wallet: nano_ and 60 more characters.",
        control: (hint) =>
          html`<input
            id="account"
            name="account"
            type="text"
            required
            maxlength="100"
            autocomplete="off"
            spellcheck="false"
            aria-describedby="${hint}"
          />`
      }),
      "Sign with a wallet"
    )}`

const code = (back: string, email: string, isWrong: boolean): Html =>
  form(
    back,
    html`<input type="hidden" name="email" value="${email}" />${field({
        name: "code",
        label: "Code",
        hint: `If ${email} belongs to an account, a code is on its way to it. It is good for ten minutes.`,
        wrong: isWrong && "This code is not good, or not any more. Enter the newest one, or begin again.",
        control: (hint) =>
          html`<input
            id="code"
            name="code"
            type="text"
            required
            inputmode="numeric"
            pattern="[0-9]{6}"
            maxlength="6"
            autocomplete="one-time-code"
            aria-describedby="${hint}"
          />`
      })}`,
    "Sign in"
  )

const signature = (
  back: string,
  { account, challengeId, message }: WalletChallenge,
  isWrong: boolean
): Html =>
  form(
    back,
    html`<input type="hidden" name="account" value="${account}" /><input
        type="hidden"
        name="challengeId"
        value="${challengeId}"
      />
      <div class="copied message-text">
        <p>Sign this text with your wallet</p>
        <pre class="copy" tabindex="0">${message}</pre>
        <button class="button quiet" type="button" data-copy="${message}" hidden>
          Copy<span class="sr"> the text</span>
        </button>
      </div>
      ${field({
        name: "signature",
        label: "Signature",
        hint: "128 characters, 0 to 9 and A to F.",
        wrong: isWrong && "This is not a good signature of this text. Sign it again, or begin again.",
        control: (hint) =>
          html`<input
            id="signature"
            name="signature"
            type="text"
            required
            maxlength="200"
            autocomplete="off"
            spellcheck="false"
            aria-describedby="${hint}"
          />`
      })}`,
    "Sign in"
  )

const contentOf = (back: string, step: SignInStep): Html => {
  if (step.step === "code") return code(back, step.email, step.isWrong)
  if (step.step === "signature") return signature(back, step.challenge, step.isWrong)
  return begin(back, step.wrong)
}

/** Returns the page of a step of the sign-in. */
export const signInPage = (back: string, step: SignInStep): Page => ({
  title: "Sign in · Pennypress",
  isIndexed: false,
  main: html`<div class="message">
    <h1>Sign in</h1>
    ${contentOf(back, step)}${step.step !== "begin" && html`<p class="note"><a href="/sign-in?back=${encodeURIComponent(back)}">Begin again</a></p>`}
  </div>`
})
