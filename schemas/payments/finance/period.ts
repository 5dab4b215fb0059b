import { DateTime, Option, Schema } from "effect"

const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/u

const isDay = (text: string) =>
  Option.exists(DateTime.make(text), (it) => DateTime.formatIsoDateUtc(it) === text) && text >= "0001"

/** A day in UTC, such as `2026-11-22`. */
export const Day = Schema.String.check(
  Schema.isPattern(DAY, { expected: "a day such as 2026-11-22" }).abort(),
  Schema.makeFilter(isDay, {
    message: "Check the day: the calendar has no such day",
    toJsonSchema: () => [{}, true]
  })
)

/** A period of days in UTC: the first day, and the day after the last. A missing one leaves that side open. */
export const period = { from: Schema.optionalKey(Day), to: Schema.optionalKey(Day) }

export const Period = Schema.Struct(period)
export type Period = typeof Period.Type
