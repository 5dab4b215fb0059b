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

/** Returns the language without its region, in lower case. */
export const baseOf = (language: string): string => language.toLowerCase().split("-", 1)[0] ?? ""

/** Returns the direction of a language's script. */
export const directionOf = (language: string): "ltr" | "rtl" =>
  RIGHT_TO_LEFT.has(baseOf(language)) && !/-latn\b/i.test(language) ? "rtl" : "ltr"

const options = { dateStyle: "long", timeZone: "UTC" } as const

const formatOf = remembered((language): Intl.DateTimeFormat => {
  try {
    return new Intl.DateTimeFormat(language, options)
  } catch {
    return new Intl.DateTimeFormat("en", options)
  }
}, KNOWN_MAX)

/** Number of days whose texts are remembered. Formatting a day takes as long as the rest of a card. */
const DAYS_MAX = 4_096

const textOfDay = remembered((dayAndLanguage): string => {
  const [day = "", language = ""] = dayAndLanguage.split(" ")
  return formatOf(language).format(Date.parse(day))
}, DAYS_MAX)

/** Returns the day of a moment as its language writes it, in UTC. */
export const dayOf = (moment: string, language: string): string =>
  textOfDay(`${moment.slice(0, 10)} ${language}`)

const minutesFormatOf = remembered((language): Intl.NumberFormat => {
  const minutes = { style: "unit", unit: "minute" } as const
  try {
    return new Intl.NumberFormat(language, minutes)
  } catch {
    return new Intl.NumberFormat("en", minutes)
  }
}, KNOWN_MAX)

/** Returns a number of minutes as its language writes it, such as `3 min`. */
export const minutesIn = (minutes: number, language: string): string =>
  minutesFormatOf(language).format(minutes)

/** Returns a moment in whole seconds: HTML reads at most three decimals. */
export const secondsOf = (moment: string): string => `${moment.slice(0, 19)}Z`
