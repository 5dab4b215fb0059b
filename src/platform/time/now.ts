import { DateTime, Effect } from "effect"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"

/** The moment of the `Clock`, as a parameter of SQL. Never `now()` in SQL: a test owns the time. */
export const now = Effect.map(DateTime.now, DateTime.toDateUtc)

export const DAY_MILLIS = 24 * 60 * 60 * 1000

/** A moment that many milliseconds later, or earlier when negative. */
export const later = (moment: Date, milliseconds: number): Date =>
  DateTime.toDateUtc(DateTime.makeUnsafe(moment.getTime() + milliseconds))

/** The wire form of a moment that has not been through the database; see `wire_time` there. */
export const wireTime = (moment: Date): Timestamp => Timestamp.make(moment.toISOString().replace("Z", "000Z"))
