import { Effect } from "effect"
import { later, now } from "../../../platform/time/now.ts"
import { type Lease, LeaseLost } from "../../../platform/work/lease.ts"
import { importStatements } from "../rows/imports.sql.ts"

/** The time for which a worker has an import; each batch prolongs it. */
export const LEASE_MILLIS = 60_000

/** Time between prolongations of a lease during work that may take longer than it. */
const STAY_MILLIS = 20_000

/** Makes the function that keeps an import for this worker while an effect runs, however long that takes. */
export const makeStaying = Effect.map(importStatements, ({ stay }) => {
  const prolonged = (lease: Lease) =>
    Effect.sleep(STAY_MILLIS).pipe(
      Effect.andThen(now),
      Effect.flatMap((at) => stay({ lease, dueAt: later(at, LEASE_MILLIS) })),
      // The next write finds that the lease is lost.
      Effect.repeat({ while: (isOurs) => isOurs })
    )

  return (lease: Lease) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.raceFirst(effect, Effect.andThen(prolonged(lease), Effect.never))
})

/**
 * Makes the function that begins each transaction of a step: it locks the import, prolongs its lease, and counts items that
 * are done. Fails with `LeaseLost` for a worker that does not have the import any more, or after a cancel.
 */
export const makeHold = Effect.map(importStatements, ({ step }) =>
  Effect.fnUntraced(function* (lease: Lease, done: 0 | 1) {
    const dueAt = later(yield* now, LEASE_MILLIS)
    if (!(yield* step({ lease, dueAt }, done))) return yield* new LeaseLost()
  })
)

/** As `makeHold`, for a worker that leaves the items of an import that has ended. */
export const makeKeep = Effect.map(importStatements, ({ stay }) =>
  Effect.fnUntraced(function* (lease: Lease) {
    const dueAt = later(yield* now, LEASE_MILLIS)
    if (!(yield* stay({ lease, dueAt }))) return yield* new LeaseLost()
  })
)
