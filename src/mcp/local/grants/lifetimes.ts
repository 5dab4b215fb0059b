import type { GrantKind } from "../state/grants.sql.ts"

const HOUR_MILLIS = 3_600_000
const DAY_MILLIS = 24 * HOUR_MILLIS

/** The maximum lifetime of each kind of grant. */
export const LIFETIMES_MAX: Readonly<Record<GrantKind, number>> = {
  discussion: 90 * DAY_MILLIS,
  draft: DAY_MILLIS,
  standing: 90 * DAY_MILLIS,
  spending: 30 * DAY_MILLIS
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: HOUR_MILLIS, d: DAY_MILLIS }

/** Returns the milliseconds of a text such as `45m`, `12h` or `30d`; undefined for any other. */
export const lifetimeOf = (text: string): number | undefined => {
  const [, amount, unit = ""] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? []
  const millis = UNITS[unit]
  return amount === undefined || millis === undefined ? undefined : Number(amount) * millis
}
