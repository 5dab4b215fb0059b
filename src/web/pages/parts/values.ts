import { shownXno } from "../../../platform/nano/shownXno.ts"
import { type Html, html } from "../../../platform/pages/html.ts"
import { dayOf, minutesIn, secondsOf } from "../../../platform/pages/language.ts"
import type { PageWords } from "../words/wordsIn.ts"

/** A day as its language writes it, for people and programs. The words around it may be in another language. */
export const day = (moment: string, language: string, className = ""): Html =>
  className === ""
    ? html`<time lang="${language}" datetime="${secondsOf(moment)}">${dayOf(moment, language)}</time>`
    : html`<time class="${className}" lang="${language}" datetime="${secondsOf(moment)}"
        >${dayOf(moment, language)}</time
      >`

/** The minutes that a text takes to read, as its language writes them. */
export const readingTime = (minutes: number, language: string): Html =>
  html`<span lang="${language}">${minutesIn(minutes, language)}</span>`

/** Returns the title of a post, or the word for one that has none yet. */
export const titleText = (title: string | null): string =>
  title === null || title === "" ? "Untitled" : title

/** An amount for people, with the exact one for programs. */
export const amount = (xno: string, decimals?: number): Html =>
  html`<data value="${xno}">${shownXno(xno, decimals)}</data>`

/** A price in words that are read aloud as they are meant. */
export const price = (xno: string): Html => html`<bdi class="tag price">${amount(xno)} XNO</bdi>`

/** Words of another script in a sentence, which keep their direction among letters from the right. */
export const isolated = (
  { direction }: Pick<PageWords, "direction">,
  text: Html | string,
  own: "auto" | "ltr" = "ltr"
): Html => (direction === "rtl" ? html`<bdi dir="${own}">${text}</bdi>` : html`${text}`)

/** An amount of XNO in a sentence. */
export const xnoIn = (words: Pick<PageWords, "direction">, xno: Html | string | number): Html =>
  isolated(words, html`${xno} XNO`)

/** Returns a count with its noun. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`

/** Returns a number that was counted up to a maximum. */
export const countedTo = (max: number, count: number, one: string): string =>
  count < max ? counted(count, one) : `${max.toLocaleString("en")}+ ${one}s`

const KILO = 1000

/** Returns a number of bytes as people say it. */
export const sizeOf = (bytes: number): string => {
  if (bytes < KILO) return `${bytes} bytes`
  const [size, unit] = bytes < KILO * KILO ? [bytes / KILO, "kB"] : [bytes / (KILO * KILO), "MB"]
  return `${size.toLocaleString("en", { maximumFractionDigits: size < 10 ? 1 : 0 })} ${unit}`
}
