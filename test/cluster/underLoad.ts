import { Duration, Effect, type Scope } from "effect"
import { check } from "./checks.ts"
import { startLoad } from "./load.ts"
import type { Record } from "./record.ts"
import { measuring, type Measuring } from "./table.ts"
import { whole } from "./topology.ts"

interface Play {
  readonly record: Record
  readonly table: Measuring
}

/**
 * Plays a fault while the load runs over a whole cluster. Afterwards every acknowledged write is looked for. The measures
 * of `play` and of the load come into the table under the name of the fault.
 */
export const underLoad = <E, R>(fault: string, play: (it: Play) => Effect.Effect<void, E, R>) =>
  Effect.gen(function* () {
    yield* whole
    const table = measuring(fault)
    const { record, stop } = yield* startLoad
    yield* Effect.sleep("4 seconds")
    yield* play({ record, table })
    yield* Effect.sleep("4 seconds")
    yield* stop
    yield* whole
    yield* check(record, table)
    table.judge()
  }).pipe(Effect.scoped) as Effect.Effect<void, unknown, Exclude<R, Scope.Scope>>

/** Returns the seconds that an effect takes. */
export const secondsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.timed(effect), ([duration]) => Duration.toSeconds(duration))
