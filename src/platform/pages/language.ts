import { remembered } from "../work/remembered.ts"

const RIGHT_TO_LEFT: ReadonlySet<string> = new Set([
  "ar",
  "arc",
  "ckb",
  "dv",
  "fa",
  "he",
  "ks",
  "ku",
  "nqo",
  "pnb",
  "ps",
  "sd",
  "syr",
  "ug",
  "ur",
  "yi"
])

/** Languages whose texts and dates are remembered. */
const KNOWN_MAX = 256

/** Returns the tag of a language as standards write it, without extensions: `he` for `iw` and `heb`. English for no tag. */
export const canonicalOf = remembered((language): string => {
  try {
    return new Intl.Locale(language).baseName
  } catch {
    return "en"
  }
}, KNOWN_MAX)

/** Returns the language without its region, in lower case. */
export const baseOf = (language: string): string => canonicalOf(language).split("-", 1)[0] ?? ""

/** Returns the direction of a language's script. */
export const directionOf = (language: string): "ltr" | "rtl" =>
  RIGHT_TO_LEFT.has(baseOf(language)) && !/-latn\b/i.test(language) ? "rtl" : "ltr"

const options = { dateStyle: "long", timeZone: "UTC" } as const

const formatOf = remembered((language) => new Intl.DateTimeFormat(canonicalOf(language), options), KNOWN_MAX)

/** Number of days whose texts are remembered. Formatting a day takes as long as the rest of a card. */
const DAYS_MAX = 4_096

const textOfDay = remembered((dayAndLanguage): string => {
  const [day = "", language = ""] = dayAndLanguage.split(" ")
  return formatOf(language).format(Date.parse(day))
}, DAYS_MAX)

/** Returns the day of a moment as its language writes it, in UTC. */
export const dayOf = (moment: string, language: string): string =>
  textOfDay(`${moment.slice(0, 10)} ${language}`)

const minutesFormatOf = remembered(
  (language) => new Intl.NumberFormat(canonicalOf(language), { style: "unit", unit: "minute" }),
  KNOWN_MAX
)

/** Returns a number of minutes as its language writes it, such as `3 min`. */
export const minutesIn = (minutes: number, language: string): string =>
  minutesFormatOf(language).format(minutes)

/** Returns a moment in whole seconds: HTML reads at most three decimals. */
export const secondsOf = (moment: string): string => `${moment.slice(0, 19)}Z`
