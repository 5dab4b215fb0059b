import { type Html, html } from "../../../platform/pages/html.ts"
import type { PageWords } from "../words/wordsIn.ts"
import { isolated, xnoIn } from "./values.ts"
import type { PostView } from "./views.ts"

type RestView = NonNullable<PostView["rest"]>

/** Returns the length of the rest, in words and minutes. Scripts without spaces between words have no count of words. */
const lengthOf = ({ isShort, minutes, words: count }: RestView, words: PageWords) => {
  if (count === null) return isShort ? words.underMinute : words.moreMinutes(minutes)
  return isShort
    ? words.fewerWords(words.number(count))
    : [words.moreWords(count), words.minutes(minutes)].join(words.comma)
}

/** Returns the size of the rest: its length, its pictures, sections and files. */
const sizeOf = (rest: RestView, words: PageWords) =>
  [
    lengthOf(rest, words),
    rest.pictures > 0 && words.pictures(rest.pictures),
    rest.sections > 0 && words.sections(rest.sections),
    rest.files > 0 && words.files(rest.files)
  ]
    .filter((part) => part !== false)
    .join(words.comma) + words.stop

/** Marks of direction, which the element around an amount replaces. */
const MARKS = /[\u200e\u200f\u061c]/g

/** Returns the worth of the price in another currency. */
const worthOf = ({ priceWorth }: PostView, price: Html, words: PageWords): Html | false => {
  if (priceWorth === null) return false
  const { isLess, money, rateOf } = priceWorth
  const rate = rateOf !== null && words.rateOf(isolated(words, rateOf, "auto"))
  const worth = html`${isolated(words, money.replaceAll(MARKS, ""))}${rate}`
  return isLess ? words.worthLess(price, worth) : words.worth(price, worth)
}

/** Puts sentences next to each other. Those of CJK have no space between them. */
const paragraph = (sentences: ReadonlyArray<Html | string | false>, { stop }: PageWords): Html => {
  const gap = stop === "." ? " " : ""
  return html`${sentences.filter((it) => it !== false).map((it, at) => [at > 0 && gap, it])}`
}

/** Sales from which a wall names them. */
const SALES_MIN = 3

/** The end of the free text: the price and the length of the rest, and how to buy it. */
export const paywall = (post: PostView, words: PageWords): Html | false => {
  const { author, id, priceXno, rest, sales } = post
  if (priceXno === null || rest === null) return false
  const price = xnoIn(words, priceXno)
  const sentences = [
    sizeOf(rest, words),
    sales >= SALES_MIN && html`<strong>${words.buyers(sales)}</strong>`,
    worthOf(post, price, words),
    words.payOnce(html`<bdi>${author.name}</bdi>`)
  ]
  return html`<section class="wall" lang="${words.language}" dir="${words.direction}" aria-labelledby="rest">
    <h2 id="rest">${words.keepReading(price)}</h2>
    <p>${paragraph(sentences, words)}</p>
    <form method="post" action="/read/${id}/buy">
      <button class="button" type="submit">${words.unlock(price)}</button>
    </form>
    <p>
      ${words.alreadyBought} <a href="/read/${id}">${words.readHere}</a>&nbsp;·
      <a href="/about#buying">${words.howToBuy}</a>
    </p>
  </section>`
}
