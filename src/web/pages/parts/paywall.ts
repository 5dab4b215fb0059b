import { type Html, html } from "../../../platform/pages/html.ts"
import { counted } from "./values.ts"
import type { PostView } from "./views.ts"

const sizeOf = ({ minutes, words }: NonNullable<PostView["rest"]>) =>
  [words === null ? undefined : `about ${words.toLocaleString("en")} words`, counted(minutes, "minute")]
    .filter((it) => it !== undefined)
    .join(" or ")

/** The end of the free text: the price and the length of the rest, and how to buy it. */
export const paywall = ({ author, id, priceXno, rest }: PostView): Html | false =>
  priceXno !== null &&
  rest !== null &&
  html`<section class="wall" lang="en" dir="ltr" aria-labelledby="rest">
    <h2 id="rest">The rest costs ${priceXno} XNO</h2>
    <p>
      It is ${sizeOf(rest)} long${rest.files > 0 && `, with ${counted(rest.files, "file")} to download`}. Pay
      once in Nano: no account and no fees, and the money goes straight to
      <bdi>${author.name}</bdi>.
    </p>
    <form method="post" action="/pay">
      <input type="hidden" name="postId" value="${id}" /><button class="button" type="submit">
        Read on for ${priceXno} XNO
      </button>
    </form>
    <p>
      Bought it already? <a href="/read/${id}">Read it here</a>. <a href="/about#buying">How buying works</a>
    </p>
    <p class="hint">Programs and agents get the terms at <code>/api/posts/${id}/access</code>.</p>
  </section>`
