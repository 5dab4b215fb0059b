import { type Html, html } from "../../../platform/pages/html.ts"
import { counted } from "./values.ts"
import type { PostView } from "./views.ts"

/** Returns the length of the rest, in words and minutes. Scripts without spaces between words have no count of words. */
const lengthOf = ({ isShort, minutes, words }: NonNullable<PostView["rest"]>) => {
  if (words === null) return isShort ? "Less than a minute more" : counted(minutes, "more minute")
  return isShort
    ? `Fewer than ${words} more words`
    : `${words.toLocaleString("en")} more words, ${counted(minutes, "minute")}`
}

/** Returns the size of the rest: its length, its pictures, sections and files. */
const sizeOf = (rest: NonNullable<PostView["rest"]>) =>
  [
    lengthOf(rest),
    rest.pictures > 0 && counted(rest.pictures, "picture"),
    rest.sections > 0 && counted(rest.sections, "section"),
    rest.files > 0 && `${counted(rest.files, "file")} to download`
  ]
    .filter((part) => part !== false)
    .join(", ")

/** Sales from which a wall names them. */
const SALES_MIN = 3

/** The end of the free text: the price and the length of the rest, and how to buy it. */
export const paywall = ({ author, id, priceAbout, priceXno, rest, sales }: PostView): Html | false =>
  priceXno !== null &&
  rest !== null &&
  html`<section class="wall" lang="en" dir="ltr" aria-labelledby="rest">
    <h2 id="rest">Keep reading for ${priceXno} XNO</h2>
    <p>
      ${sizeOf(rest)}.
      ${sales >= SALES_MIN && html`<strong>${counted(sales, "person", "people")} bought this.</strong> `}${priceAbout !== null && html`${priceXno} XNO is ${priceAbout}. `}Pay
      once with any Nano wallet. No account, no fees: all of it goes to
      <bdi>${author.name}</bdi>.
    </p>
    <form method="post" action="/read/${id}/buy">
      <button class="button" type="submit">Unlock this post · ${priceXno} XNO</button>
    </form>
    <p>
      Already bought it? <a href="/read/${id}">Read it here</a>. <a href="/about#buying">How buying works</a>
    </p>
  </section>`
