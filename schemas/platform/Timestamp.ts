import { DateTime, Option, Schema } from "effect"

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/u

/**
 * A moment in UTC with microseconds, `2026-11-21T05:00:00.123456Z`.
 *
 * It stays text in memory: a JavaScript `Date` would cut the microseconds, and
 * those of a Post's `updatedAt` are part of its revision (specification 2.7).
 */
export const Timestamp = Schema.String.check(
  Schema.isPattern(TIMESTAMP, { toJsonSchema: () => ({ format: "date-time", pattern: TIMESTAMP.source }) })
).pipe(Schema.brand("Timestamp"))
export type Timestamp = typeof Timestamp.Type

const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/u

/**
 * Whether a date-time is a moment before the year 10000. JavaScript takes 30 February for 2 March and hour 24 for the
 * next day, and neither a timestamp nor PostgreSQL's text of one has years of five digits.
 */
const isMoment = (text: string) => {
  const day = text.slice(0, 10)
  const isDay = Option.exists(DateTime.make(day), (it) => DateTime.formatIsoDateUtc(it) === day)
  return isDay && text.slice(11, 13) < "24" && Date.parse(text) < Date.UTC(10_000, 0)
}

/** A date-time that a caller sends: RFC 3339 with an offset. */
export const DateTimeInput = Schema.String.check(
  Schema.isPattern(DATE_TIME, {
    expected: "an RFC 3339 date-time such as 2026-11-21T05:00:00Z",
    toJsonSchema: () => ({ format: "date-time", pattern: DATE_TIME.source })
  }).abort(),
  Schema.makeFilter(isMoment, {
    expected: "a moment that there is, such as 2026-11-21T05:00:00Z",
    toJsonSchema: () => [{}, true]
  })
).pipe(Schema.decodeTo(Schema.DateTimeUtcFromString))
