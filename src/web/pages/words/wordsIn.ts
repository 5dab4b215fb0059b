import { canonicalOf, directionOf } from "../../../platform/pages/language.ts"
import { remembered } from "../../../platform/work/remembered.ts"
import { ar } from "./ar.ts"
import { countingIn } from "./counting.ts"
import { de } from "./de.ts"
import { en, type Words } from "./en.ts"
import { es } from "./es.ts"
import { fr } from "./fr.ts"
import { he } from "./he.ts"
import { ja } from "./ja.ts"
import { pt } from "./pt.ts"
import { zh } from "./zh.ts"
import { zhHant } from "./zhHant.ts"

/** The languages whose words the service has, each with its script. */
export const LANGUAGES = {
  "en-Latn": en,
  "de-Latn": de,
  "fr-Latn": fr,
  "es-Latn": es,
  "pt-Latn": pt,
  "ja-Jpan": ja,
  "zh-Hans": zh,
  "zh-Hant": zhHant,
  "ar-Arab": ar,
  "he-Hebr": he
} as const

/** The words of a page around a text. */
export interface PageWords extends Words {
  /** The language of the words: that of the text as standards write it, or English. */
  readonly language: string
  readonly direction: "ltr" | "rtl"
  /** Returns a number as the language writes it. */
  readonly number: (value: number) => string
}

/** Languages whose words are remembered. */
const KNOWN_MAX = 256

/** Returns a language with its script, such as `zh-Hant` for `zh-TW`; undefined for the tag that means none. */
const scriptOf = (tag: string): string | undefined => {
  const locale = new Intl.Locale(tag)
  // The likely language of a text without one is English, but its tag does not say so.
  return locale.language === "und" ? undefined : `${locale.language}-${locale.maximize().script}`
}

const isKnown = (language: string | undefined): language is keyof typeof LANGUAGES =>
  language !== undefined && Object.hasOwn(LANGUAGES, language)

/** Returns the words around a text in its language, or in English where the service has no others. */
export const wordsIn = remembered((wanted): PageWords => {
  const tag = canonicalOf(wanted)
  const known = scriptOf(tag)
  const [language, words] = isKnown(known) ? [tag, LANGUAGES[known]] : ["en", en]
  const numbers = new Intl.NumberFormat(language)
  return {
    ...words(countingIn(language)),
    language,
    direction: directionOf(language),
    number: (value) => numbers.format(value)
  }
}, KNOWN_MAX)

/** The words in English, as the pages of the site itself have them. */
export const english: PageWords = wordsIn("en")
