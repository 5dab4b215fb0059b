import { DateTime, Option, Schema, SchemaTransformation } from "effect"

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/u

/**
 * A moment in UTC with microseconds, `2026-11-21T05:00:00.123456Z`.
 *
 * It stays text in memory: a JavaScript `Date` would cut the microseconds, and
 * those of a Post's `updatedAt` are part of its revision (spec 2.7).
 */
export const Timestamp = Schema.String.check(
  Schema.isPattern(TIMESTAMP, {
    expected: "a date-time such as 2026-11-21T05:00:00.123456Z",
    toJsonSchema: () => ({ format: "date-time", pattern: TIMESTAMP.source })
  })
).pipe(Schema.brand("Timestamp"))
export type Timestamp = typeof Timestamp.Type

/** Digits after the sixth of a fraction must be zeros: a moment is kept to the microsecond, or refused. */
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(?=\d{1,9}[Z+-])(\d{1,6})0*)?(Z|[+-]\d{2}:\d{2})$/u

/** The same without a lookahead, which some client generators cannot read. */
const DOCUMENTED = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/u

/**
 * Returns true for a moment before the year 10000. JavaScript reads 30 February as 2 March and hour 24 as the next
 * day, and neither a timestamp nor PostgreSQL's text of one has years of five digits.
 */
const isMoment = (text: string) => {
  const day = text.slice(0, 10)
  const isDay = Option.exists(DateTime.make(day), (it) => DateTime.formatIsoDateUtc(it) === day)
  return isDay && text.slice(11, 13) < "24" && Date.parse(text) < Date.UTC(10_000, 0)
}

/** Returns the moment of a well-formed date-time in UTC, with its microseconds. */
const inUtc = (text: string): string => {
  const [, seconds = "", fraction = "", offset = ""] = DATE_TIME.exec(text) ?? []
  const whole = DateTime.makeUnsafe(`${seconds}${offset}`)
  return DateTime.formatIso(whole).replace(/\.\d{3}Z$/, `.${fraction.padEnd(6, "0")}Z`)
}

const dateTimeInput = (expected: string) =>
  Schema.String.check(
    Schema.isPattern(DATE_TIME, {
      expected,
      toJsonSchema: () => ({ format: "date-time", pattern: DOCUMENTED.source })
    }).abort(),
    Schema.makeFilter(isMoment, {
      message: "Check the day and the hour: the calendar has no such moment before the year 10000",
      toJsonSchema: () => [{}, true]
    })
  ).pipe(
    Schema.decodeTo(Timestamp, SchemaTransformation.transform({ decode: inUtc, encode: (moment) => moment }))
  )

/** A date-time that a caller sends: RFC 3339 with an offset and at most microseconds, decoded to UTC. */
export const DateTimeInput = dateTimeInput(
  "an RFC 3339 date-time with at most microseconds, such as 2026-11-21T05:00:00Z"
)

/** The same for a moment that a person chose, who may forget the time zone. */
export const ZonedDateTimeInput = dateTimeInput(
  "an RFC 3339 date-time that says which time zone, such as 2026-11-30T09:00:00+01:00"
)
