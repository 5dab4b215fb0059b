import type { Deletion } from "../../../schemas/accounts/deletion/Deletion.ts"
import { KEPT_DAYS } from "../../../schemas/accounts/deletion/Deletion.ts"
import type { WalletChallenge } from "../../../schemas/accounts/sessions/Session.ts"
import { hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage, messagePage } from "../../platform/pages/messagePage.ts"
import { textField } from "../account/textField.ts"
import { codeForm, type WrongCode } from "../browser/codeForm.ts"
import { deskMenu } from "../browser/deskMenu.ts"
import { ACCOUNT, DELETION, EXPORT, PURCHASES } from "../browser/paths.ts"
import { textToSign } from "../browser/textToSign.ts"
import { counted, day } from "../pages/parts/values.ts"
import { xno } from "../sales/salesAmounts.ts"

const goes = ({ consequences: { buyers, comments, followers, posts } }: Deletion): Html =>
  html`<h2 class="label">What goes</h2>
    <ul>
      <li>Your profile, pictures, settings, keys and sign-ins.</li>
      ${
        posts > 0 &&
        html`<li>
          ${counted(posts, "post")}, with ${posts === 1 ? "its" : "their"} pictures and
          files${buyers > 0 && ", except what was sold"}.
        </li>`
      }
      ${
        comments > 0 &&
        html`<li>
          ${comments === 1 ? "The text" : "The texts"} of ${counted(comments, "comment")}, and your name on
          ${comments === 1 ? "it" : "them"}.
        </li>`
      }
      <li>
        ${followers > 0 ? `${counted(followers, "follower")}, and the list` : "The list"} of everyone you
        follow.
      </li>
    </ul>`

/** Returns what stays of an account; none for one without payments. */
const stays = ({ consequences: { buyers, obligationsRaw, purchases, salesRaw } }: Deletion): Html | false => {
  const items = [
    buyers > 0 &&
      html`<li>${counted(buyers, "buyer")} can still read what they bought, without your name.</li>`,
    salesRaw !== "0" &&
      html`<li>The record of the ${xno(salesRaw)} XNO that you received, without your name.</li>`,
    purchases > 0 &&
      html`<li>
        ${counted(purchases, "purchase")} of yours. Keep the private ${purchases === 1 ? "link" : "links"}, or
        the wallet that paid: you can then read what you bought.
      </li>`,
    obligationsRaw !== "0" &&
      html`<li>
        <strong>We still owe you ${xno(obligationsRaw)} XNO.</strong> Wait until it's paid: afterwards we
        can't pay it.
      </li>`
  ].filter((item) => item !== false)
  return (
    items.length > 0 &&
    html`<h2 class="label">What stays</h2>
      <ul>
        ${items}
      </ul>`
  )
}

const numbers = (deletion: Deletion): Html => html`${goes(deletion)}${stays(deletion)}`

/** Returns the page that says what a deletion does, and begins it. */
export const beginPage = (deletion: Deletion, handle: string, isModerator: boolean): Page =>
  formPage({
    title: "Delete your account",
    isWide: true,
    content: html`${deskMenu(ACCOUNT, isModerator)}
      <p class="lede">
        @${handle} leaves the site at once, and is erased ${KEPT_DAYS} days later. Until then you can sign in
        and keep it.
      </p>
      ${numbers(deletion)}
      <form class="act" method="post" action="${DELETION}">
        ${hidden("step", "begin")}<button class="button" type="submit">
          ${deletion.confirm[0] === "code" ? "Email me a code" : "Go on with my wallet"}
        </button>
      </form>
      <p class="note">
        <a href="${EXPORT}">Download everything</a> first. <a href="${ACCOUNT}">Back to your account</a>
      </p>`
  })

const handleField = (handle: string, typed: string, isWrong: boolean): Html =>
  textField({
    name: "handle",
    label: "Your handle",
    hint: `Type ${handle}, so that nothing is deleted by accident.`,
    value: typed,
    max: 40,
    wrong: isWrong ? `This isn't your handle. Type ${handle}.` : undefined
  })

/** The confirmation that a page asks for, and the reason for which the last one was refused. */
export interface ConfirmView {
  readonly handle: string
  readonly typed: string
  readonly isWrongHandle: boolean
}

/** Returns the page with the text that a wallet signs to delete its account. */
export const signaturePage = (
  { handle, isWrongHandle, typed }: ConfirmView,
  { challengeId, message }: WalletChallenge,
  isRefused: boolean
): Page =>
  formPage({
    title: "Delete your account",
    content: html`${!isRefused && !isWrongHandle && outcome("Sign this text with your wallet, and enter the signature.")}
      <form class="fields" method="post" action="${DELETION}">
        ${hidden("challengeId", challengeId)} ${textToSign(message)}
        ${textField({
          name: "signature",
          label: "Signature",
          hint: "128 characters, 0 to 9 and A to F.",
          value: "",
          max: 200,
          isFocused: !isWrongHandle,
          wrong: isRefused
            ? "That signature doesn't match the text. We've made a new text: sign it, and enter the new signature."
            : undefined
        })}${handleField(handle, typed, isWrongHandle)}<button class="button" type="submit">
          Delete my account
        </button>
      </form>
      <p id="live" class="sr" role="status"></p>
      <p class="note"><a href="${ACCOUNT}">Back to your account</a></p>`
  })

/** Returns the page that takes the code of a mail to delete an account. */
export const codePage = (
  { handle, isWrongHandle, typed }: ConfirmView,
  email: string,
  wrong: WrongCode | undefined
): Page =>
  formPage({
    title: "Delete your account",
    content: html`${codeForm({
        action: DELETION,
        hidden: handleField(handle, typed, isWrongHandle),
        again: hidden("step", "begin"),
        hint: `We've just emailed it to ${email}. It works for ten minutes.`,
        button: "Delete my account",
        wrong
      })}
      <p class="note"><a href="${ACCOUNT}">Back to your account</a></p>`
  })

/** Returns the page of an account that is closing. */
export const closingPage = (deletion: Deletion): Page =>
  formPage({
    title: "Your account is closed",
    isWide: true,
    content: html`<p class="lede">
        It's off the site, and will be erased on ${day(deletion.dueAt ?? "", "en")}. Until then you can keep
        it.
      </p>
      <form class="act" method="post" action="${DELETION}/keep">
        <button class="button" type="submit">Keep my account</button>
      </form>
      ${numbers(deletion)}
      <p class="note">
        <a href="${EXPORT}">Download everything</a> · <a href="${PURCHASES}">What you bought</a> ·
        <a href="/sign-out">Sign out</a>
      </p>`
  })

/** Returns the page after an account was closed in this browser. */
export const closedPage = (dueAt: string): Page =>
  messagePage({
    title: "Your account is closed",
    said: "It's off the site, and you're signed out everywhere.",
    more: html`<p>
      We'll erase it on ${day(dueAt, "en")}. Until then you can <a href="/sign-in">sign in</a> to keep it, or
      to download everything.
    </p>`
  })

/** Returns the page of an account whose time to be kept is over. */
export const tooLatePage: Page = messagePage({
  title: "Your account is being erased",
  said: "The time to keep it is over.",
  more: html`<p class="note">What you bought opens with its private link, or with the wallet that paid.</p>`
})
