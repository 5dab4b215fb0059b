import { DateTime } from "effect"

/** Returns a time in milliseconds since 1970 as tools tell it. */
export const timeOf = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

/** As {@link timeOf}, of a time that may not have come. */
export const nullableTime = (millis: number | null): string | null =>
  millis === null ? null : timeOf(millis)
