import slugify from "@sindresorhus/slugify"
import { DateTime, Option, Schema } from "effect"
import { proseLine, trimmedProse } from "../../../../../schemas/platform/Text.ts"
import { REFUSED_IN_LINES } from "../../../../../schemas/platform/textKinds.ts"
import { Language } from "../../../../../schemas/publishing/posts/PostDraft.ts"
import { htmlText, htmlTree } from "../../conversion/html/htmlTree.ts"
import { cleanText } from "./text.ts"

const TITLE_MAX = 200
const DESCRIPTION_MAX = 500
const SLUG_MAX = 120

const asTitle = Schema.decodeUnknownOption(proseLine(TITLE_MAX))
const asLanguage = Schema.decodeUnknownOption(Language)
const asDescription = Schema.decodeUnknownOption(trimmedProse(DESCRIPTION_MAX))

const EVERY_REFUSED = new RegExp(REFUSED_IN_LINES.source, "gv")

const oneLine = (text: string) => cleanText(text.slice(0, 20_000)).replaceAll(/\s+/gu, " ").trim()

/** Returns the first words of a text, at most this many code points, with an ellipsis if it is longer. */
export const firstWords = (text: string, max: number): string => {
  const points = [...text]
  if (points.length <= max) return text
  const cut = points.slice(0, max - 1).join("")
  const end = cut.lastIndexOf(" ")
  return `${(end > max / 2 ? cut.slice(0, end) : cut).replace(/[\s,;:–—-]+$/u, "")}…`
}

/** A text within its limit, and whether it had to be cut. */
export interface Limited {
  readonly text: string
  readonly isCut: boolean
}

const limited = (text: string, max: number, accept: (text: string) => Option.Option<string>): Limited => {
  const cut = firstWords(text, max)
  const accepted = accept(cut)
  if (Option.isSome(accepted)) return { text: accepted.value, isCut: cut !== text }
  const plain = firstWords(text.replaceAll(EVERY_REFUSED, ""), max)
  return { text: Option.getOrElse(accept(plain), () => ""), isCut: cut !== text }
}

/** Returns a title as posts accept it. */
export const titleOf = (text: string): Limited => limited(oneLine(text), TITLE_MAX, asTitle)

/** Returns a description as posts accept it. */
export const descriptionOf = (text: string): Limited => limited(oneLine(text), DESCRIPTION_MAX, asDescription)

/** Returns a title of our own export: as it is, if posts accept it. */
export const exactTitleOf = (text: string): Limited =>
  Option.match(asTitle(text), {
    onNone: () => titleOf(text),
    onSome: (accepted) => ({ text: accepted, isCut: false })
  })

/** Returns a description of our own export, with its lines, if posts accept it. */
export const exactDescriptionOf = (text: string): Limited =>
  Option.match(asDescription(text), {
    onNone: () => descriptionOf(text),
    onSome: (accepted) => ({ text: accepted, isCut: false })
  })

/** Returns the language of our own export as it is, if posts accept it. */
export const exactLanguageOf = (text: string): string | null => Option.getOrNull(asLanguage(text))

/** Returns text with markup as text. */
export const plainText = (html: string): string =>
  /[<&]/.test(html) ? htmlText(htmlTree(html.slice(0, 100_000)).nodes) : html

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A slug of the source in the characters of ours, or null. */
export const slugOf = (text: string): { readonly slug: string | null; readonly isChanged: boolean } => {
  const source = decoded(text.slice(0, 1000)).trim()
  const slug = slugify(source.normalize("NFKC"), { decamelize: false }).slice(0, SLUG_MAX).replace(/-+$/, "")
  return /^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug)
    ? { slug, isChanged: slug !== source }
    : { slug: null, isChanged: source !== "" }
}

/** A moment of the source in ISO 8601, and whether its time zone was assumed. */
export interface SourceDate {
  readonly iso: string
  readonly isZoneAssumed: boolean
}

const DATE =
  /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?\s{0,3}(Z|UTC|GMT|[+-]\d{2}:?\d{2})?$/i

/** Reads a date of a source; undefined for none, for one before 1970 and for one that does not exist, such as `0000-00-00`. */
export const dateOf = (text: string): SourceDate | undefined => {
  const source = text.trim().slice(0, 60)
  const match = DATE.exec(source)
  if (match === null) {
    // Names of months, as in "Sat, 02 Mar 2024 09:00:00 +0000". Without a zone the machine's own would count.
    if (!/^[a-z\d ,:+-]{8,60}$/i.test(source) || !/[a-z]{3}/i.test(source) || !/\d{4}/.test(source))
      return undefined
    // Programs read years such as 0001 as 2001.
    if (!/(?:^|[ ,-])(?:19|2[01])\d{2}(?:$|[ ,-])/.test(source)) return undefined
    const hasZone = /(?:[+-]\d{4}|\b(?:GMT|UTC|Z))$/i.test(source)
    const time = Date.parse(hasZone ? source : `${source} UTC`)
    return Number.isNaN(time) ? undefined : within(time, !hasZone)
  }
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "", zone] = match
  if (Number(year) < 1969) return undefined
  const time = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
    Number(fraction.slice(0, 3).padEnd(3, "0"))
  )
  if (!exists(time, Number(month), Number(day))) return undefined
  const offset = zone === undefined ? null : /^([+-])(\d{2}):?(\d{2})$/.exec(zone)
  const minutes =
    offset === null ? 0 : (offset[1] === "-" ? -1 : 1) * (Number(offset[2]) * 60 + Number(offset[3]))
  return within(time - minutes * 60_000, zone === undefined)
}

/** Returns true for a day that its month has. */
const exists = (time: number, month: number, day: number) => {
  const parts = DateTime.toPartsUtc(DateTime.makeUnsafe(time))
  return parts.month === month && parts.day === day
}

const within = (time: number, isZoneAssumed: boolean): SourceDate | undefined => {
  const moment = DateTime.makeUnsafe(time)
  const { year } = DateTime.toPartsUtc(moment)
  return year < 1970 || year > 2200 ? undefined : { iso: DateTime.formatIso(moment), isZoneAssumed }
}

/** Returns a language tag that posts accept, or null. */
export const languageOf = (text: string): string | null => {
  const tag = text.trim().replaceAll("_", "-")
  if (!/^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}$/i.test(tag)) return null
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null
  } catch {
    return null
  }
}
