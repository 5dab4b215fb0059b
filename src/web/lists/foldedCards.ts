import { type Html, html } from "../../platform/pages/html.ts"
import { card } from "../pages/parts/cards.ts"
import type { CardView } from "../pages/parts/views.ts"
import { type CardEntry, fewOfEach } from "./fewOfEach.ts"

const folded = ({ card: { author }, more }: CardEntry): Html | false =>
  more.length > 0 &&
  html`<details class="note">
    <summary>${more.length} more by <bdi>${author.name}</bdi></summary>
    ${more.map(
      ({ language, title, url }) =>
        html`<p class="more" dir="auto" lang="${language}">
          <a href="${url}" hreflang="${language}">${title}</a>
        </p>`
    )}
  </details>`

/** Posts of many authors as a list, with few cards of each. */
export const foldedCards = (posts: ReadonlyArray<CardView>): Html =>
  html`<ul class="cards">
    ${fewOfEach(posts).map((entry) => html`<li>${card(entry.card)}${folded(entry)}</li>`)}
  </ul>`
