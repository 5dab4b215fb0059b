import { DateTime, Effect } from "effect"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"

/** Returns the moment of the `Clock` as a parameter of SQL. Never use `now()` in SQL: a test controls the time. */
export const now = Effect.map(DateTime.now, DateTime.toDateUtc)

export const MINUTE_MILLIS = 60 * 1000
export const DAY_MILLIS = 24 * 60 * 60 * 1000

/** Returns the moment that many milliseconds later, or earlier when negative. */
export const later = (moment: Date, milliseconds: number): Date =>
  DateTime.toDateUtc(DateTime.makeUnsafe(moment.getTime() + milliseconds))

/** Returns the wire form of a moment that has not passed through the database. The database has `wire_time`. */
export const wireTime = (moment: Date): Timestamp => Timestamp.make(moment.toISOString().replace("Z", "000Z"))
