import { type Html, html } from "../../../platform/pages/html.ts"
import type { PageHeading } from "../../../publishing/content/html/pageText.ts"
import type { PageWords } from "../words/wordsIn.ts"

/** Number of headings from which a text has contents. */
const HEADINGS_MIN = 4

/** A heading, and those below it. */
interface Part {
  readonly heading: PageHeading
  readonly below: Array<PageHeading>
}

/** Collects the headings in two levels: the highest ones, and all others below them. */
const partsOf = (headings: ReadonlyArray<PageHeading>): ReadonlyArray<Part> => {
  const highest = Math.min(...headings.map(({ level }) => level))
  const parts: Array<Part> = []
  for (const heading of headings) {
    const last = parts.at(-1)
    if (last === undefined || heading.level === highest) parts.push({ heading, below: [] })
    else last.below.push(heading)
  }
  return parts
}

const link = ({ id, text }: PageHeading): Html => html`<a href="#${id}">${text}</a>`

/** The contents of a long text, which open at a press. */
export const contents = (
  headings: ReadonlyArray<PageHeading>,
  { contents: name, direction, language }: PageWords
): Html | false =>
  headings.length >= HEADINGS_MIN &&
  html`<details class="note keep">
    <summary lang="${language}" dir="${direction}">${name}</summary>
    <ul class="prose" dir="auto">
      ${partsOf(headings).map(
        ({ below, heading }) =>
          html`<li>
            ${link(heading)}${
              below.length > 0 &&
              html`<ul>
                ${below.map((it) => html`<li>${link(it)}</li>`)}
              </ul>`
            }
          </li>`
      )}
    </ul>
  </details>`
