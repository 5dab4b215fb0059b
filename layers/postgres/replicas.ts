import { Cause, Clock, Effect, Exit, Metric, Scope } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { DependencyUnavailable } from "../../src/platform/ports/DependencyUnavailable.ts"
import type { Replicas } from "../../src/platform/ports/Replicas.ts"
import type { LogPosition } from "../../src/platform/ports/Signals.ts"
import type { ReplicaUrl } from "../config/replicaUrls.ts"
import { onRealClock } from "../time/realClock.ts"
import { isPoolBusy, type Pools, ServerChoice } from "./client.ts"
import { logPositionOf } from "./logPosition.ts"

/** A replica that is this far behind gets no reads. */
export const LAG_MILLIS_MAX = 5_000
/** Longest wait of a read for a replica that has what it has to show, and time between two looks at a replica. */
const WAIT_MILLIS = 100
const LOOK_MILLIS = 5
/** Time between two comparisons of the replicas with the primary, and longest wait for the answer of one. */
const WATCH_MILLIS = 1_000
/** Positions of the primary that are remembered. A longer lag is measured as this one. */
const SAMPLES_MAX = 600

const lag = Metric.gauge("database_replica_lag_seconds", {
  description: "How far a replica is behind the primary, by server; up to ten minutes"
})
const used = Metric.gauge("database_replica_used", {
  description: "1 while public reads may use a replica, else 0, by server"
})
const reads = Metric.counter("public_reads_total", {
  description: "Public answers that were read from the database, by server: the primary, or a replica",
  incremental: true
})

interface Replica {
  readonly name: string
  /** Undefined before it is first reached. */
  pools: Pools | undefined
  /** The position that it had replayed when it last answered. */
  position: LogPosition
  /** The reason why it is left out, empty before the first look; undefined while it is used. */
  fault: string | undefined
  /** Asks for its position. Returns why it cannot be read as a standby, or undefined. Waiting readers share a look. */
  readonly look: Effect.Effect<string | undefined>
}

/** A position of the primary, and a time at which it had it. */
export interface Sample {
  readonly at: number
  readonly position: LogPosition
}

/**
 * Returns the age of the oldest sample that a replica lacks, in milliseconds. A replica of an idle primary lacks none. The
 * clock of no server is asked.
 */
export const lagMillisOf = (samples: ReadonlyArray<Sample>, position: LogPosition, now: number): number =>
  now - (samples.find((sample) => sample.position > position)?.at ?? now)

const AWAY = "it does not answer"
const PRIMARY = "it takes writes, as a primary does"
const BEHIND = "it is too far behind"
// A former primary may have a log of its own, whose positions mean nothing.
const ELSEWHERE = "it has changes that the primary lacks"

/** True for a failure that is no answer to the reader. Another server may answer, or fail in its own words. */
const isOfServer = (cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  return (Cause.hasDies(cause) || SqlError.isSqlError(error)) && !(error instanceof DependencyUnavailable)
}

const isAway = (error: unknown) =>
  SqlError.isSqlError(error) && error.reason._tag === "ConnectionError" && !isPoolBusy(error)

/** Reads from replicas at these URLs, over the pools that `poolsAt` makes once a replica is reached. */
export const makeReplicas = Effect.fnUntraced(function* <E>(
  urls: ReadonlyArray<ReplicaUrl>,
  sql: SqlClient.SqlClient,
  poolsAt: (replica: ReplicaUrl) => Effect.Effect<Pools, E, Scope.Scope>
) {
  const scope = yield* Scope.Scope

  const replicaAt = Effect.fnUntraced(function* (url: ReplicaUrl) {
    const ask = Effect.gen(function* () {
      const pools = (replica.pools ??= yield* Scope.provide(poolsAt(url), scope))
      const [row] = yield* Effect.provideService(
        sql<{ readonly lsn: string | null }>`
          select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() end::text as lsn`,
        ServerChoice,
        Effect.succeed(pools)
      )
      if (row?.lsn == null) return PRIMARY
      replica.position = logPositionOf(row.lsn)
      return undefined
    }).pipe(
      Effect.timeout(WATCH_MILLIS),
      Effect.catchCause(() => Effect.succeed(AWAY)),
      Effect.withTracerEnabled(false)
    )
    const look = onRealClock(yield* Effect.cachedWithTTL(ask, LOOK_MILLIS))
    const replica: Replica = { name: url.name, pools: undefined, position: 0n, fault: "", look }
    return replica
  })

  const replicas = yield* Effect.forEach(urls, replicaAt)
  const samples: Array<Sample> = []
  let turn = 0
  /** True after a wait in vain. Then no reader waits until the replicas are compared again. */
  let isLate = false

  /** Remembers where the primary is. Returns its position; undefined while it does not answer. */
  const sample = Effect.gen(function* () {
    const [row] = yield* sql<{ readonly lsn: string }>`select pg_current_wal_flush_lsn()::text as lsn`
    const position = logPositionOf(row?.lsn ?? "0/0")
    const last = samples.at(-1)?.position ?? 0n
    // Another server became the primary, with a shorter log.
    if (position < last) samples.length = 0
    if (position !== last) samples.push({ at: yield* Clock.currentTimeMillis, position })
    if (samples.length > SAMPLES_MAX) samples.shift()
    return position
  }).pipe(
    Effect.timeout(WATCH_MILLIS),
    Effect.orElseSucceed(() => undefined),
    Effect.withTracerEnabled(false)
  )

  const judge = Effect.fnUntraced(function* (replica: Replica, fault: string | undefined) {
    const isNew = fault !== replica.fault
    replica.fault = fault
    const gauge = Metric.withAttributes(used, { server: replica.name })
    yield* Metric.update(gauge, fault === undefined ? 1 : 0)
    if (!isNew) return
    if (fault === undefined) yield* Effect.logInfo(`Public answers are read from the replica ${replica.name}`)
    else yield* Effect.logWarning(`The replica ${replica.name} is left out: ${fault}`)
  })

  yield* Effect.gen(function* () {
    const looks = yield* Effect.forEach(replicas, ({ look }) => look, { concurrency: "unbounded" })
    // A standby never has more than the primary had flushed before.
    const primary = (yield* sample) ?? Number.POSITIVE_INFINITY
    const now = yield* Clock.currentTimeMillis
    for (const [at, replica] of replicas.entries()) {
      const lagMillis = looks[at] === PRIMARY ? 0 : lagMillisOf(samples, replica.position, now)
      yield* Metric.update(Metric.withAttributes(lag, { server: replica.name }), lagMillis / 1_000)
      const isElsewhere = replica.position > primary
      const fault = isElsewhere ? ELSEWHERE : lagMillis > LAG_MILLIS_MAX ? BEHIND : undefined
      yield* judge(replica, looks[at] ?? fault)
    }
    isLate = false
  }).pipe(Effect.andThen(Effect.sleep(WATCH_MILLIS)), Effect.forever, onRealClock, Effect.forkScoped)

  const usable = () => replicas.filter(({ fault }) => fault === undefined)

  /** Looks at a replica until it is at a position. Fails when it is left out. */
  const reaching = Effect.fnUntraced(function* (replica: Replica, atLeast: LogPosition) {
    while (true) {
      const fault = yield* replica.look
      if (fault !== undefined) yield* judge(replica, fault)
      if (replica.fault !== undefined) return yield* Effect.fail(replica.fault)
      if (replica.position >= atLeast) return replica
      yield* Effect.sleep(LOOK_MILLIS)
    }
  })

  /** Returns a replica that is at a position; undefined when none gets there in time. Replicas take turns. */
  const choose = (atLeast: LogPosition) =>
    Effect.suspend(() => {
      const fit = usable().filter(({ position }) => position >= atLeast)
      const known = fit[turn++ % fit.length]
      if (known !== undefined || isLate || usable().length === 0) return Effect.succeed(known)
      return Effect.raceAll(usable().map((replica) => reaching(replica, atLeast))).pipe(
        Effect.timeout(WAIT_MILLIS),
        Effect.catch(() =>
          Effect.sync(() => {
            isLate = true
            return undefined
          })
        ),
        onRealClock
      )
    })

  const counted = (server: string) => Metric.update(Metric.withAttributes(reads, { server }), 1)
  /** Runs a read on a server that its first statement chooses. An answer without statements waits for no replica. */
  const readFrom = <A, E, R>(server: Effect.Effect<Pools | undefined>, read: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Effect.cached(server), (choice) => Effect.provideService(read, ServerChoice, choice))
  const onPrimary = <A, E, R>(read: Effect.Effect<A, E, R>) =>
    readFrom(Effect.as(counted("primary"), undefined), read)

  return {
    read: <A, E, R>(
      atLeast: LogPosition | undefined,
      read: Effect.Effect<A, E, R>,
      isCurrent: (result: A) => boolean
    ) =>
      Effect.suspend(() => {
        if (atLeast === undefined) return onPrimary(read)
        let chosen: Replica | undefined
        const server = Effect.gen(function* () {
          chosen = yield* choose(atLeast)
          yield* counted(chosen?.name ?? "primary")
          return chosen?.pools
        })
        return Effect.flatMap(Effect.exit(readFrom(server, read)), (exit) => {
          if (chosen === undefined) return exit
          if (Exit.isSuccess(exit)) return isCurrent(exit.value) ? exit : onPrimary(read)
          if (!isOfServer(exit.cause)) return exit
          const isLost = isAway(Cause.squash(exit.cause))
          return Effect.andThen(isLost ? judge(chosen, AWAY) : Effect.void, onPrimary(read))
        })
      })
  } satisfies typeof Replicas.Service
})
