import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** The clocks of this machine and of the database differ so much that signatures, leases and sessions break. */
export class ClocksDiffer extends Schema.TaggedError<ClocksDiffer>()("ClocksDiffer", {
  message: Schema.String
}) {}

/** Differences of clocks, in seconds: one that is reported, and one with which no process starts. */
export const SKEW_TOLD = 2
export const SKEW_MAX = 30

/** The remedy for clocks that differ. */
export const CLOCK_ADVICE =
  "Synchronize the clocks of this machine and of the database server, with chrony or systemd-timesyncd."

/** Returns the seconds by which the clock of the database is ahead of that of this machine; negative if it is behind. */
const measure = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const before = yield* Clock.currentTimeMillis
  const [row] = yield* sql<{ readonly millis: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as millis`
  const after = yield* Clock.currentTimeMillis
  // The database reads its clock in the middle of the round trip, as far as anyone can know.
  const skew = ((row?.millis ?? before) - (before + after) / 2) / 1000
  return { skew, roundTrip: (after - before) / 1000 }
})

/** The measurement with the shortest round trip of three: the first one may open a connection. */
export const clockSkew = Effect.map(Effect.all([measure, measure, measure]), (measured) =>
  measured.reduce((best, next) => (next.roundTrip < best.roundTrip ? next : best))
).pipe(Effect.map(({ skew }) => skew))

/** Says how far the clock of the database is from that of this machine. */
export const saidOf = (skew: number) =>
  `The clock of the database is ${Math.abs(skew).toFixed(1)} s ${skew < 0 ? "behind" : "ahead of"} that of this machine.`

/** Warns of clocks that differ, and fails with `ClocksDiffer` if they differ too much. */
export const assertClocks = Effect.gen(function* () {
  const skew = yield* clockSkew
  if (Math.abs(skew) > SKEW_MAX)
    return yield* new ClocksDiffer({
      message: `${saidOf(skew).replace(/\.$/, "")}. A process does not start above ${SKEW_MAX} s: synchronize both clocks, with chrony or systemd-timesyncd.`
    })
  if (Math.abs(skew) > SKEW_TOLD) yield* Effect.logWarning(`${saidOf(skew)} ${CLOCK_ADVICE}`)
})
