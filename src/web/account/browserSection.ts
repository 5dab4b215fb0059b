import { hidden } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import { ACCOUNT } from "../browser/paths.ts"
import { day } from "../pages/parts/values.ts"
import type { AccountView } from "./accountView.ts"

type SignedIn = AccountView["browsers"][number]

const item = ({ id, isThis, label, since }: SignedIn): Html =>
  html`<li>
    <span>${label}, since ${day(since, "en")}${isThis && html` <strong>(this browser)</strong>`}</span>
    <form method="post" action="${ACCOUNT}/browsers">
      ${hidden("session", id)}<button class="button quiet" type="submit">
        Sign out<span class="sr">
          of ${isThis ? "this browser" : `${label}, signed in on ${since.slice(0, 10)}`}</span
        >
      </button>
    </form>
  </li>`

/** Returns the part of the account with the browsers in which its owner is signed in. */
export const browserSection = ({ browsers }: AccountView): Html =>
  html`<section class="files" aria-labelledby="browsers">
    <h2 class="label" id="browsers">Where you're signed in</h2>
    <ul>
      ${browsers.map(item)}
    </ul>
    ${
      browsers.length > 1 &&
      html`<form class="act" method="post" action="${ACCOUNT}/browsers/others">
        <button class="button" type="submit">Sign out everywhere else</button>
      </form>`
    }
  </section>`
