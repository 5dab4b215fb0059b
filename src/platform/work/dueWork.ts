import { Effect, Latch, Metric } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { later, now } from "../time/now.ts"

/** Makes the SQL of the time when the next row of a kind of work is due: a scalar, null when none waits. */
export type NextDue = (sql: SqlClient.SqlClient) => Statement.Fragment

/** The shortest time between two looks. */
const PAUSE_MILLIS = 1_000
/** The longest time: the most that work waits whose ring was lost, because its process ended. */
const LONGEST_PAUSE_MILLIS = 5_000

const overdue = Metric.gauge("work_overdue_seconds", {
  description: "Time for which the oldest due row of leased work has waited, by kind of work"
})

/**
 * Looks for work that is due although no bell rang: retries, leases that ended, work of the future, and work whose ring
 * was lost. One statement asks for all kinds that this process watches. It runs when the next known row is due and at
 * least every five seconds, as long as the scope lasts. `ring` wakes the workers of a kind in this process.
 */
export const makeDueWork = Effect.fnUntraced(function* (ring: (kind: string) => void) {
  const sql = yield* SqlClient.SqlClient
  const kinds = new Map<string, Statement.Fragment>()
  const isAsked = Latch.makeUnsafe()
  let found: ReadonlyMap<string, number> = new Map()

  const dueUntil = (at: Date) => {
    const next = [...kinds].map(([kind, nextDue]) => sql`(${kind}::text, ${nextDue})`)
    return sql<{ readonly kind: string; readonly due_at: Date }>`
      select kind, due_at from (values ${sql.csv(next)}) next (kind, due_at) where due_at <= ${at}`
  }

  /** Rings for work that is due. Returns the time until the next look. */
  const look = Effect.gen(function* () {
    // The last kind may have ended meanwhile.
    if (kinds.size === 0) return 0
    const at = yield* now
    let pauseMillis = LONGEST_PAUSE_MILLIS
    const late = new Map([...kinds.keys()].map((kind) => [kind, 0]))
    for (const { due_at, kind } of yield* dueUntil(later(at, LONGEST_PAUSE_MILLIS))) {
      const waitMillis = due_at.getTime() - at.getTime()
      if (waitMillis <= 0) ring(kind)
      late.set(kind, Math.max(0, -waitMillis) / 1_000)
      pauseMillis = Math.min(pauseMillis, waitMillis <= 0 ? PAUSE_MILLIS : waitMillis)
    }
    found = late
    for (const [kind, seconds] of late)
      yield* Metric.update(Metric.withAttributes(overdue, { kind }), seconds)
    return pauseMillis
  }).pipe(
    // The database is unavailable. Each worker finds that out by itself, and logs it.
    Effect.catch((error) =>
      Effect.as(Effect.logDebug("Could not look for due work", error), LONGEST_PAUSE_MILLIS).pipe(
        Effect.tap(() => Effect.sync(() => [...kinds.keys()].forEach(ring)))
      )
    ),
    Effect.withSpan("dueWork.look")
  )

  yield* Effect.gen(function* () {
    yield* isAsked.await
    yield* isAsked.close
    const millis = yield* look
    yield* Effect.sleep(Math.min(millis, PAUSE_MILLIS))
    yield* Effect.timeoutOption(isAsked.await, Math.max(0, millis - PAUSE_MILLIS))
    if (kinds.size > 0) yield* isAsked.open
  }).pipe(Effect.forever, Effect.forkScoped)

  return {
    /** Looks for one kind of work as long as the scope lasts. A process that watches nothing runs no statement. */
    watch: (kind: string, nextDue: NextDue) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          kinds.set(kind, nextDue(sql))
          isAsked.openUnsafe()
        }),
        () => Effect.sync(() => kinds.delete(kind))
      ),
    /** The seconds for which the oldest due row of each kind had waited at the last look. */
    overdueSeconds: Effect.sync(() => found),
    /** Looks within a second: a row may be due sooner than the last look found. */
    lookSoon: Effect.sync(() => isAsked.openUnsafe())
  }
})
