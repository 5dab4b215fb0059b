import type { WalletChallenge } from "../../../schemas/accounts/sessions/Session.ts"
import { hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { ACCOUNT } from "../browser/paths.ts"
import { textToSign } from "../browser/textToSign.ts"
import { type AccountView, stateOf } from "./accountView.ts"
import { textField } from "./textField.ts"

interface WalletForm {
  readonly account: string
  readonly wrong?: string | undefined
}

/** The form that begins to link a wallet. */
const walletForm = ({ account, wrong }: WalletForm): Html =>
  html`<form class="fields" method="post" action="${ACCOUNT}/wallet">
    ${textField({
      name: "account",
      label: "Address of your Nano wallet",
      hint: "It starts with nano_. You'll sign a short text with your wallet. Nothing is sent or paid.",
      value: account,
      max: 200,
      wrong
    })}<button class="button" type="submit">Link this wallet</button>
  </form>`

/** Returns the part of the account with the wallet that can sign in. */
export const walletSection = (view: AccountView): Html => {
  const { walletAddress } = view.me.identity
  const { value, wrong } = stateOf(view, "account")
  return html`<section class="files" aria-labelledby="wallet">
    <h2 class="label" id="wallet">Wallet</h2>
    ${
      walletAddress === null
        ? html`<p>
              No wallet is linked. Link one, and you can also sign in with it. You can't change it later.
            </p>
            ${walletForm({ account: value, wrong })}`
        : html`<p>
            This wallet is linked, and you can sign in with it: <code class="copy">${walletAddress}</code>
          </p>`
    }
  </section>`
}

interface SignatureView {
  readonly challenge: WalletChallenge
  /** The signature that was refused. */
  readonly refused: string | null
}

/** Returns the page with the text that a wallet signs, so that it is linked. */
export const signaturePage = ({ challenge, refused }: SignatureView): Page => {
  const { account, challengeId, message } = challenge
  return formPage({
    title: "Link your wallet",
    content: html`${refused === null && outcome("Sign this text with your wallet, and enter the signature.")}
      <form class="fields" method="post" action="${ACCOUNT}/wallet">
        ${hidden("account", account)}${hidden("challengeId", challengeId)} ${textToSign(message)}
        ${textField({
          name: "signature",
          label: "Signature",
          hint: "128 characters, 0 to 9 and A to F.",
          value: refused ?? "",
          max: 200,
          wrong:
            refused === null
              ? undefined
              : "That signature doesn't match the text. We've made a new text: sign it, and enter the new signature."
        })}<button class="button" type="submit">Link this wallet</button>
      </form>
      <p id="live" class="sr" role="status"></p>
      <p class="note"><a href="${ACCOUNT}">Back to your account</a></p>`
  })
}
