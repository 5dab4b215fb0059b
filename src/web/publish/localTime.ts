import { DateTime, Option } from "effect"
import { MINUTE_MILLIS } from "../../platform/time/now.ts"

/** The zone of a browser that says none. */
export const NO_ZONE = "UTC"

/** The zones that an author can choose. A browser may have one by another name. */
export const ZONES: ReadonlyArray<string> = [NO_ZONE, ...Intl.supportedValuesOf("timeZone")]

/** True for the name of a zone that exists. */
export const isZone = (zone: string): boolean => Option.isSome(DateTime.zoneMakeNamed(zone))

/** A day and a time as `<input type="datetime-local">` sends them. */
const WHEN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::00(?:\.0+)?)?$/

/** Names one of two moments that have the same time of day. */
export type Fold = "first" | "second"

/** The moment of a day and a time in a zone, or the reason for which there is none. */
export type LocalTime =
  | { readonly _tag: "Moment"; readonly moment: DateTime.Utc }
  | { readonly _tag: "Gap" }
  | { readonly _tag: "Twice" }
  | { readonly _tag: "Unreadable" }

/** Returns a moment as `<input type="datetime-local">` shows it in a zone. */
export const localOf = (moment: string, zone: string): string =>
  Option.match(DateTime.makeZoned(moment, { timeZone: zone }), {
    onNone: () => "",
    onSome: (zoned) => DateTime.formatIsoOffset(zoned).slice(0, 16)
  })

/**
 * Returns the moment of a day and a time in a zone. Where clocks go forward, some times do not exist, and where they go back, some
 * come twice: `fold` says which one is meant.
 */
export const readLocal = (when: string, zone: string, fold: Fold | undefined): LocalTime => {
  if (!WHEN.test(when) || !isZone(zone)) return { _tag: "Unreadable" }
  const wall = `${when.slice(0, 16)}:00Z`
  const made = (disambiguation: "reject" | "earlier" | "later") =>
    DateTime.makeZoned(wall, { timeZone: zone, adjustForTimeZone: true, disambiguation })
  const only = made("reject")
  if (Option.isSome(only)) {
    // JavaScript reads 30 February as 2 March.
    const isDay = DateTime.formatIsoOffset(only.value).startsWith(when.slice(0, 16))
    return isDay ? { _tag: "Moment", moment: DateTime.toUtc(only.value) } : { _tag: "Unreadable" }
  }
  const meant = made(fold === "second" ? "later" : "earlier")
  if (Option.isNone(meant)) return { _tag: "Unreadable" }
  if (!DateTime.formatIsoOffset(meant.value).startsWith(when.slice(0, 16))) return { _tag: "Gap" }
  return fold === undefined ? { _tag: "Twice" } : { _tag: "Moment", moment: DateTime.toUtc(meant.value) }
}

/** Returns how far a moment is ahead. */
const aheadOf = (moment: Date, at: Date): string => {
  const minutes = Math.round((moment.getTime() - at.getTime()) / MINUTE_MILLIS)
  if (minutes < 2) return "in a moment"
  if (minutes < 120) return `in ${minutes} minutes`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `in ${hours} hours` : `in ${Math.round(hours / 24)} days`
}

/** Returns a moment in a zone as people say it: `Mon 30 Nov 2026, 09:00 (Berlin, UTC+1)`. */
export const zonedText = (moment: string, zone: string): string => {
  const parts = new Intl.DateTimeFormat("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone: zone,
    timeZoneName: "shortOffset"
  }).formatToParts(Date.parse(moment))
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.find((part) => part.type === type)?.value ?? ""
  const offset = of("timeZoneName").replace("GMT", "UTC").replace(/\+0$/, "")
  const city = zone.split("/").at(-1)?.replaceAll("_", " ") ?? zone
  const place = city === offset ? city : `${city}, ${offset}`
  return `${of("weekday")} ${of("day")} ${of("month")} ${of("year")}, ${of("hour")}:${of("minute")} (${place})`
}

/** Returns a moment ahead as people say it, with the time until then. */
export const aheadText = (moment: string, zone: string, at: Date): string =>
  `${zonedText(moment, zone)}, ${aheadOf(DateTime.toDateUtc(DateTime.makeUnsafe(moment)), at)}`
