import { Schema } from "effect"

/**
 * A moment in UTC with microseconds, `2026-11-21T05:00:00.123456Z`.
 *
 * It stays text in memory: a JavaScript `Date` would cut the microseconds, and
 * those of a Post's `updatedAt` are part of its revision (specification 2.7).
 */
export const Timestamp = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/u)
)
  .annotate({ format: "date-time" })
  .pipe(Schema.brand("Timestamp"))
export type Timestamp = typeof Timestamp.Type

/** A date-time that a caller sends: RFC 3339 with an offset. */
export const DateTimeInput = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/u, {
    expected: "an RFC 3339 date-time such as 2026-11-21T05:00:00Z"
  })
)
  .annotate({ format: "date-time" })
  .pipe(Schema.decodeTo(Schema.DateTimeUtcFromString))
