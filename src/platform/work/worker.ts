import { Cause, Effect, FiberSet, Latch, Metric, Schedule } from "effect"
import { later, now } from "../time/now.ts"
import { type Doorbell, Doorbells } from "./Doorbells.ts"
import { gracefully } from "./gracefully.ts"
import { type Claim, type Lease, nextDueOf, type WorkQueue } from "./lease.ts"

/** Time after which a worker claims again that could not. */
const RETRY_MILLIS = 1_000

/** Time that a stopping service gives to a row in progress. */
const STOPPING_MILLIS = 5_000

/** Waits while the database is unavailable, from the second failure on. */
const whileAway = Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("10 seconds")])

const claims = Metric.counter("work_claimed_total", {
  description: "Rows of leased work that this process claimed, by kind of work",
  incremental: true
})
const failures = Metric.counter("work_failed_total", {
  description: "Claimed rows whose work died or took too long, by kind of work",
  incremental: true
})
const running = Metric.gauge("work_running", {
  description: "Rows of leased work that this process works on now, by kind of work"
})

interface Supervised {
  readonly bell: Doorbell
  /** Does all work that is due. */
  readonly drain: Effect.Effect<unknown>
  /** Log lines for work that cannot be done, and for work that can be done again. */
  readonly lost: string
  readonly regained: string
}

/**
 * Drains each time that the bell rings, as long as the scope lasts. While the database is unavailable it keeps trying,
 * and logs that once.
 */
const supervised = ({ bell, drain, lost, regained }: Supervised) => {
  const outlast = Effect.fnUntraced(function* (cause: Cause.Cause<never>) {
    yield* Effect.logWarning(lost, cause)
    yield* Effect.sleep(RETRY_MILLIS)
    yield* Effect.retry(Effect.sandbox(drain), whileAway)
    yield* Effect.logInfo(regained)
  })
  return drain.pipe(
    Effect.asVoid,
    Effect.catchCauseIf((cause) => !Cause.hasInterruptsOnly(cause), outlast),
    Effect.andThen(bell.rung),
    Effect.forever,
    Effect.forkScoped
  )
}

/** One kind of leased work. */
export interface LeasedWork<Row extends Lease> {
  /** Names the bell, and the work in metrics and logs. */
  readonly kind: string
  /** The most rows that this process works on at the same time. */
  readonly concurrency: number
  readonly leaseMillis: number
  /** Time after which the worker interrupts work on a row. Longer than the lease only for work that prolongs it. */
  readonly patienceMillis?: number
  /** Claims due rows by one statement; `leases` has its SQL. */
  readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<Row>>
  /** The rows that `claim` claims. */
  readonly queue: WorkQueue
  /**
   * Works on one row, and completes it or makes it due again, both under its lease. The worker interrupts work that
   * takes too long. A row whose work dies is due again when its lease ends.
   */
  readonly run: (row: Row) => Effect.Effect<void>
  /** Makes a row due at once when a stop cut off its work. Without it the row waits for the end of its lease. */
  readonly release?: (row: Row) => Effect.Effect<unknown>
  /** Log lines for work that cannot be claimed, and for work that can be claimed again. */
  readonly lost: string
  readonly regained: string
}

/**
 * Works on rows that are due, each in a fiber of its own, as long as the scope lasts. Any number of processes share the
 * work. It claims no row that it cannot begin at once. When it stops, each row has five seconds to end.
 *
 * A new kind of work needs a table with `id`, `due_at` and `attempts`, statements over `leases`, and a worker:
 *
 * ```ts
 * // Digests.ts: makes work. The row commits or fails with the change that made it.
 * post: Effect.fn("Digests.post")(function* (digest) {
 *   yield* rows.insert(digest)
 *   yield* doorbells.bell("digests").ring
 * })
 *
 * // DigestsWorker.ts: does it.
 * export const layer = Layer.effectDiscard(Effect.gen(function* () {
 *   const digests = yield* Digests
 *   const rows = yield* digestStatements
 *   yield* worker({
 *     kind: "digests",
 *     concurrency: 4,
 *     leaseMillis: 60_000,
 *     claim: rows.claim,
 *     queue: digestQueue,
 *     run: (digest) => digests.send(digest).pipe(
 *       Effect.andThen(rows.complete(digest)),
 *       Effect.catchTag("MailUnavailable", () =>
 *         Effect.flatMap(nextAttempt(random, BACKOFF, digest.attempts), (at) => rows.release(digest, at)))),
 *     lost: "Digests are not sent",
 *     regained: "Digests are sent again"
 *   })
 * }))
 * ```
 *
 * `complete` and `release` return false for a lease that ended. A step that leaves its row due at once, for its next
 * step, rings the bell.
 */
export const worker = Effect.fnUntraced(function* <Row extends Lease>(work: LeasedWork<Row>) {
  const { claim, concurrency, kind, leaseMillis, lost, queue, regained, release, run } = work
  const { patienceMillis = leaseMillis } = work
  const { bell: bellOf, lookSoon, watch } = yield* Doorbells
  const bell = bellOf(kind)
  const fibers = yield* FiberSet.make<void>()
  const hasFree = Latch.makeUnsafe(true)
  let busy = 0

  const of = <A, S>(metric: Metric.Metric<A, S>) => Metric.withAttributes(metric, { kind })
  const take = (by: number) =>
    Effect.suspend(() => {
      busy += by
      if (busy < concurrency) hasFree.openUnsafe()
      else hasFree.closeUnsafe()
      return Metric.update(of(running), busy)
    })

  const runOne = (row: Row) =>
    run(row).pipe(
      Effect.timeoutOrElse({
        duration: patienceMillis,
        orElse: () => Effect.die(new Error("The work took too long"))
      }),
      gracefully(STOPPING_MILLIS),
      Effect.onInterrupt(() =>
        release === undefined ? Effect.void : Effect.timeoutOption(release(row), STOPPING_MILLIS)
      ),
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) =>
          Effect.andThen(
            Metric.update(of(failures), 1),
            Effect.logWarning("Work failed: it will be retried when its lease ends", cause)
          )
      ),
      Effect.annotateLogs({ kind, id: row.id, attempts: row.attempts }),
      Effect.ensuring(Effect.andThen(take(-1), lookSoon))
    )

  // Every claimed row begins its work, even if a stop comes in between.
  const fill = Effect.gen(function* () {
    const free = concurrency - busy
    const at = yield* now
    const rows = yield* claim({ at, leaseUntil: later(at, leaseMillis), limit: free })
    yield* Metric.update(of(claims), rows.length)
    yield* take(rows.length)
    for (const row of rows) yield* FiberSet.run(fibers, runOne(row))
    return rows.length === free
  }).pipe(Effect.uninterruptible)

  yield* watch(kind, nextDueOf(queue))
  yield* supervised({
    bell,
    drain: Effect.andThen(hasFree.await, fill).pipe(Effect.repeat({ while: (mayBeMore) => mayBeMore })),
    lost,
    regained
  })
})
