import { type Html, html } from "../../../platform/pages/html.ts"
import { wordsIn } from "../words/wordsIn.ts"
import { person } from "./people.ts"
import { day, price, readingTime } from "./values.ts"
import type { CardView } from "./views.ts"

/** Choices of a list of cards. */
interface CardOptions {
  /** The language of the page around the cards. */
  readonly language?: string
  /** False on the page of the author. */
  readonly hasAuthor?: boolean
}

/** A Post in a list: one link covers it, and that to its author lies above. Its picture adds no information to the title. */
export const card = (
  { author, description, language, minutes, picture, priceXno, publishedAt, title, url }: CardView,
  { hasAuthor = true, language: around = "en" }: CardOptions = {}
): Html => {
  const about = description !== "" && html`<p class="about" dir="auto" lang="${language}">${description}</p>`
  return html`<article class="card">
    ${picture !== null && html`<img src="${picture}" alt="" width="96" height="72" loading="lazy" decoding="async" />`}
    <h3 dir="auto" lang="${language}"><a href="${url}" hreflang="${language}">${title}</a></h3>
    ${about}
    <p class="meta">
      ${hasAuthor && person(author, wordsIn(around))}${readingTime(minutes, around)}${priceXno !== null && price(priceXno)}${day(publishedAt, around)}
    </p>
  </article>`
}

/** Posts as a list. */
export const cards = (views: ReadonlyArray<CardView>, options: CardOptions = {}): Html =>
  html`<ul class="cards">
    ${views.map((view) => html`<li>${card(view, options)}</li>`)}
  </ul>`
