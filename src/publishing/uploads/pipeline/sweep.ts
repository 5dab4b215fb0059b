import { Effect, Metric } from "effect"
import { DAY_MILLIS, later, now } from "../../../platform/time/now.ts"
import { operationStatements } from "../operation/operations.sql.ts"

const waiting = Metric.gauge("uploads_waiting", {
  description: "Unfinished upload operations by state, counted once a minute"
})
const oldest = Metric.gauge("uploads_oldest_seconds", {
  description: "Age of the oldest unfinished upload operation by state, measured once a minute"
})
const unfinishedStates = ["receiving", "queued", "checking"] as const

/** Images of the time before smaller copies that get theirs in a minute, so that new images do not wait. */
const SCALED_OLD_MAX = 20

/**
 * Forgets transfers that no limit counts, makes the smaller copies of old images due, and sets the gauges of the backlog: a
 * state without operations counts zero.
 */
export const makeSweep = Effect.map(operationStatements, (operations) =>
  Effect.gen(function* () {
    const at = yield* now
    yield* operations.sweepTransfers(later(at, -DAY_MILLIS))
    yield* operations.scaleOld(at, SCALED_OLD_MAX)
    const backlog = yield* operations.backlog
    for (const state of unfinishedStates) {
      const found = backlog.find((it) => it.state === state)
      const seconds = found === undefined ? 0 : (at.getTime() - found.oldest.getTime()) / 1000
      yield* Metric.update(Metric.withAttributes(waiting, { state }), found?.operations ?? 0)
      yield* Metric.update(Metric.withAttributes(oldest, { state }), seconds)
    }
  })
)
