import { type Html, html } from "../../../platform/pages/html.ts"
import { dayOf, secondsOf } from "../../../platform/pages/language.ts"
import { DAY_MILLIS, MINUTE_MILLIS } from "../../../platform/time/now.ts"

const HOUR_MILLIS = 60 * MINUTE_MILLIS
/** Days from which the distance of a moment says less than its day. */
const DAYS = 7

const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" })

/** Returns the distance of a moment in words, such as "2 hours ago"; its day from a week on. */
const sinceText = (moment: string, now: Date): string => {
  const millis = now.getTime() - Date.parse(moment)
  if (millis >= DAYS * DAY_MILLIS) return dayOf(moment, "en")
  // The clock of the database may be a little ahead.
  if (millis < MINUTE_MILLIS) return "just now"
  if (millis < HOUR_MILLIS) return format.format(-Math.floor(millis / MINUTE_MILLIS), "minute")
  return millis < DAY_MILLIS
    ? format.format(-Math.floor(millis / HOUR_MILLIS), "hour")
    : format.format(-Math.floor(millis / DAY_MILLIS), "day")
}

/** A moment as people say it, for people and programs. */
export const since = (moment: string, now: Date): Html =>
  html`<time datetime="${secondsOf(moment)}">${sinceText(moment, now)}</time>`
