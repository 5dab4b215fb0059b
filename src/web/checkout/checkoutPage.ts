import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import { copyField } from "../../platform/pages/copyField.ts"
import { hidden } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import { secondsOf } from "../../platform/pages/language.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { face, person } from "../pages/parts/people.ts"
import { buyPath } from "../receipts/receipt.ts"
import { type CheckoutView, clockTimeOf, isWaiting, sentenceOf } from "./checkoutView.ts"

const STEPS = {
  purchase: ["Waiting for payment", "Received", "Unlocked"],
  tip: ["Waiting for payment", "Received", "Done"]
} as const

const stepOf = { open: 0, seen: 1, paid: 2 } as const

const steps = ({ session: { kind, state } }: CheckoutView): Html | false => {
  if (state !== "open" && state !== "seen" && state !== "paid") return false
  const current = stepOf[state]
  return html`<ol class="steps">
    ${STEPS[kind].map((name, at) => (at === current ? html`<li aria-current="step">${name}</li>` : html`<li>${name}</li>`))}
  </ol>`
}

const asPost = (path: string, name: string, fields: Html | false = false): Html =>
  html`<form method="post" action="${path}">
    ${fields}<button class="button quiet" type="submit">${name}</button>
  </form>`

const testMoney = ({ path }: CheckoutView): Html =>
  html`<form method="post" action="${path}/test-money">
    <p>This site uses a test ledger. Its money has no value.</p>
    <button class="button" type="submit">Pay with test money</button>
  </form>`

const state = (view: CheckoutView): Html =>
  html`${steps(view)}
    <p class="state" id="state" role="status">${sentenceOf(view.session)}</p>`

/** Says that the payment was sent, so that one without its last digits may count, too. */
const lookAgain = ({ path }: CheckoutView): Html => asPost(`${path}/sent`, "I've paid, check now")

const refreshLinks = ({ isRefreshing, path }: CheckoutView): Html =>
  html`<p class="note" data-unscripted>
    ${
      isRefreshing
        ? html`This page checks every 5 seconds. <a href="${path}">Stop</a>`
        : html`<a href="${path}?refresh=5">Check every 5 seconds</a>`
    }
  </p>`

/** Asks once. No list of supporters shows a person who did not choose it. */
const askForName = ({ path }: CheckoutView): Html =>
  html`<form class="act" method="post" action="/profile/supporters">
    ${hidden("back", path)}${hidden("next", "back")}
    <p class="note">Show your name in lists of supporters? You can change this in your profile.</p>
    <button class="button quiet" type="submit" name="show" value="yes">Show my name</button
    ><button class="button quiet" type="submit" name="show" value="no">Keep it private</button>
  </form>`

/** Returns an amount whose last digits, by which we know the payment, stand back behind the price. */
const exactAmount = ({ session: { amountXno, baseAmountRaw } }: CheckoutView): Html => {
  const price = xnoOfRaw(BigInt(baseAmountRaw))
  return html`${price}<span class="tail">${amountXno.slice(price.length)}</span> XNO`
}

/** The other ways to pay. The script opens them when no wallet did. */
const byHand = (view: CheckoutView): Html => {
  const { amountXno, kind, payTo, uri } = view.session
  return html`<details class="by-hand">
    <summary>Wallet didn't open?</summary>
    ${copyField("Payment link", uri, uri)}${copyField("Exact amount in XNO", amountXno, exactAmount(view))}${copyField("Nano address", payTo, payTo)}
    <p class="note">
      Paste the link into your wallet, or copy the amount and then the address. Copy the amount instead of
      typing it: its last digits tell us which payment is yours.
    </p>
    <p class="note">
      If your wallet rounds the amount, ${kind === "purchase" && "sign in before you buy, and "}press “I've
      paid, check now” afterwards. If you send more or less, the money still reaches the author, but we can't
      tell that it's yours${kind === "purchase" && ", and the post stays locked"}. Then only the author can
      send it back.
    </p>
  </details>`
}

const paying = (view: CheckoutView): Html => {
  const { hasTestMoney, path, qr, session } = view
  const { expiresAt, uri } = session
  return html`<div class="scan">
      <a class="button" href="${uri}">Pay in your wallet</a>
      ${byHand(view)}
      <details class="code">
        <summary>Code for another device</summary>
        <div class="qr" role="img" aria-label="QR code of this payment for a Nano wallet">${qr}</div>
      </details>
      <p>
        Expires <time datetime="${secondsOf(expiresAt)}" data-left>at ${clockTimeOf(expiresAt)}</time>.
        <a href="/about#wallet">Get a wallet</a>
      </p>
    </div>
    ${state(view)}${hasTestMoney && testMoney(view)}
    <p class="note">All of it goes to the author. No fees, no account needed.</p>
    ${view.isAskedForName && askForName(view)}${lookAgain(view)}${refreshLinks(view)}${asPost(`${path}/cancel`, "Cancel")}`
}

const seen = (view: CheckoutView): Html => html`${state(view)}${lookAgain(view)}${refreshLinks(view)}`

const again = ({ handle, session: { baseAmountRaw, kind, target } }: CheckoutView): Html | false => {
  const { commentId, postId } = target
  if (kind === "purchase") return postId !== null && asPost(buyPath(postId), "Start over")
  const of =
    commentId !== null
      ? hidden("commentId", commentId)
      : postId !== null
        ? hidden("postId", postId)
        : handle !== null && hidden("handle", handle)
  if (of === false) return false
  const amount = hidden("amountXno", xnoOfRaw(BigInt(baseAmountRaw)))
  return asPost("/pay", "Start over", html`${amount}${of}`)
}

const ended = (view: CheckoutView): Html => {
  const { session, subject } = view
  const isPaid = session.state === "paid"
  return html`${state(view)}${!isPaid && session.state !== "closed" && lookAgain(view)}${!isPaid && html`<p class="note">If you haven't paid, nothing is lost:</p>`}${!isPaid && again(view)}${
    subject !== null && html`<p class="note"><a href="${subject.url}">Go back to “${subject.title}”</a></p>`
  }`
}

const TITLES = {
  expired: "This payment request has expired",
  cancelled: "Payment cancelled",
  closed: "This payment request is closed"
} as const

const titleOf = ({ session: { baseAmountRaw, state: now } }: CheckoutView): string => {
  const price = xnoOfRaw(BigInt(baseAmountRaw))
  if (now === "paid") return "Thank you!"
  return isWaiting(now) ? `Pay ${price} XNO` : TITLES[now as keyof typeof TITLES]
}

/** Returns the price as the heading of a payment, with its value in another currency. */
const priceOf = ({ about, session: { baseAmountRaw } }: CheckoutView): Html =>
  html`${xnoOfRaw(BigInt(baseAmountRaw))} XNO${about !== null && html` · ${about}`}`

/** Returns the page of a checkout. It shows the same state to every tab, and after every reload. */
export const checkoutPage = (view: CheckoutView): Page => {
  const { path, session, subject } = view
  const title = titleOf(view)
  const content = session.state === "open" ? paying : session.state === "seen" ? seen : ended
  return {
    title,
    isIndexed: false,
    scripts: isWaiting(session.state) ? ["checkout"] : [],
    main: html`<div
      class="checkout"
      data-status="${isWaiting(session.state) && `${path}/status`}"
      data-state="${session.state}"
    >
      <p class="kicker">${session.kind === "tip" ? "Tip" : "Unlock this post"}</p>
      <h1>${isWaiting(session.state) ? priceOf(view) : title}</h1>
      ${
        subject !== null &&
        session.state !== "paid" &&
        html`${
            subject.title !== subject.author.name &&
            html`<p class="lede">
              for “<a href="${subject.url}"><bdi>${subject.title}</bdi></a
              >”
            </p>`
          }
          <div class="act">
            ${face(subject.author)}
            <p>${person(subject.author)}</p>
          </div>`
      }${content(view)}
    </div>`
  }
}
