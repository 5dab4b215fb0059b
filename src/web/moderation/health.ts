import { Effect } from "effect"
import { DiskSpace } from "../../platform/ports/DiskSpace.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { later, MINUTE_MILLIS, now } from "../../platform/time/now.ts"
import { Doorbells } from "../../platform/work/Doorbells.ts"
import { healthStatements } from "./health.sql.ts"
import type { HealthView } from "./healthPage.ts"

/** The age of an unfinished upload that is late. */
const LATE_MILLIS = 60 * MINUTE_MILLIS

/** Makes the effect that reads the state of the service. */
export const makeHealth = Effect.gen(function* () {
  const health = yield* healthStatements
  const ledger = yield* NanoLedger
  const disk = yield* DiskSpace
  const { overdueSeconds } = yield* Doorbells

  const read = Effect.gen(function* (): Effect.fn.Return<HealthView> {
    const lateFrom = later(yield* now, -LATE_MILLIS)
    const [row, isAway, room, overdue] = yield* Effect.all(
      [health.read(lateFrom), ledger.isAway, disk.now, overdueSeconds],
      { concurrency: "unbounded" }
    )
    const reached = isAway ? "away" : "answers"
    return { row, ledger: ledger.kind === "node" ? reached : ledger.kind, disk: room, overdue }
  })

  return { read }
})
