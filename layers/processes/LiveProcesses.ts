import { hostname } from "node:os"
import { Effect, Layer, Metric, Schedule, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { ObjectStorage } from "../../src/platform/ports/ObjectStorage.ts"
import { makeSecretFingerprints } from "../crypto/secretFingerprints.ts"
import { onRealClock } from "../time/realClock.ts"
import {
  differences,
  LIMITS_ADVICE,
  limitsWarning,
  named,
  type ProcessRow,
  storeDifference
} from "./differences.ts"
import { canRead, markerOf, putMarker } from "./marker.ts"
import { type NewProcess, processStatements } from "./processes.sql.ts"

/** A live process has settings with which this one must not serve the same database. */
export class ProcessesDiffer extends Schema.TaggedError<ProcessesDiffer>()("ProcessesDiffer", {
  message: Schema.String
}) {}

/** Time between two signs of life. */
const BEAT_MILLIS = 5_000

/** Time that a stopping process gives to the database and to the store. */
const LEAVING = "2 seconds"

/** Time for which a process is live after its last sign of life. */
export const LIVE_MILLIS = 3 * BEAT_MILLIS

const live = Metric.gauge("processes_live", {
  description: "Processes that serve the database of this one, with it"
})

export interface Options {
  readonly release: string
  readonly baseUrl: string
  /** The ledger and its network; null if the process takes no payments. */
  readonly ledger: string | null
  /** The Redis that counts the rate limits, without credentials; null for none. */
  readonly redis: string | null
  /** Time between two signs of life, in milliseconds. Default: 5000. */
  readonly beatMillis?: number | undefined
  /** Time for which a process is live after its last sign of life, in milliseconds. Default: 15000. */
  readonly liveMillis?: number | undefined
}

const make = Effect.fnUntraced(function* (options: Options) {
  const { baseUrl, beatMillis = BEAT_MILLIS, ledger, liveMillis = LIVE_MILLIS, redis, release } = options
  const sql = yield* SqlClient.SqlClient
  const rows = yield* processStatements(liveMillis)
  const objects = yield* ObjectStorage
  const id = yield* (yield* SecureRandom.SecureRandom).uuidV4()
  const secretsFor = yield* makeSecretFingerprints
  const own = { baseUrl, ledger, secretsFor }

  /** Returns what differs from another process. */
  const judge = Effect.fnUntraced(function* (other: ProcessRow) {
    const different = differences(own, other)
    if (different.length > 0 || !other.has_marker) return different
    return (yield* canRead(other.id)) ? [] : [storeDifference(other)]
  })

  /** Enters if every other live process was found to be alike. Returns the others. */
  const enter = (row: NewProcess, alike: ReadonlySet<string>) =>
    sql.withTransaction(
      Effect.gen(function* () {
        yield* rows.lock
        const others = yield* rows.others(id)
        if (others.every((other) => alike.has(other.id))) {
          yield* rows.enter(row)
          return { others, isIn: true }
        }
        return { others, isIn: false }
      })
    )

  /**
   * Enters among the live processes. One that differs may have died a moment ago, so it counts only once it has given another
   * sign of life.
   */
  const admit = Effect.gen(function* () {
    const has_marker = yield* putMarker(id)
    const row = {
      id,
      host: hostname(),
      release,
      base_url: baseUrl,
      secrets: secretsFor(id),
      ledger,
      redis,
      has_marker
    }
    const alike = new Set<string>()
    const different = new Map<string, Date>()
    while (true) {
      const { isIn, others } = yield* enter(row, alike)
      if (isIn) return others
      for (const other of others.filter((it) => !alike.has(it.id))) {
        const since = different.get(other.id)
        if (since !== undefined && other.seen_at <= since) continue
        const found = yield* judge(other)
        if (found.length === 0) alike.add(other.id)
        else if (since !== undefined) return yield* new ProcessesDiffer({ message: found.join("\n") })
        else {
          different.set(other.id, other.seen_at)
          yield* Effect.logInfo(`Looking whether ${named(other)} still runs, as its settings differ`)
        }
      }
      if (others.some((other) => different.has(other.id))) yield* Effect.sleep(beatMillis / 5)
    }
  })

  const leave = rows.leave(id).pipe(
    Effect.andThen(objects.remove(markerOf(id))),
    Effect.timeout(LEAVING),
    // The row ends by itself.
    Effect.ignore,
    onRealClock
  )

  /** Enters again if the row was deleted, as after an hour without the database. */
  const beat = Effect.gen(function* () {
    const [row] = yield* rows.beat(id)
    if (row === undefined) return yield* Effect.asVoid(admit)
    yield* Metric.update(live, row.live)
    for (const gone of row.gone) yield* Effect.ignore(objects.remove(markerOf(gone)))
  }).pipe(
    Effect.catchTags({
      ProcessesDiffer: ({ message }) => Effect.logError(message),
      SqlError: (error) => Effect.logDebug("The row of this process was not renewed", error)
    }),
    Effect.withSpan("LiveProcesses.beat")
  )

  yield* Effect.addFinalizer(() => leave)
  const others = yield* admit
  yield* Metric.update(live, others.length + 1)
  const warning = limitsWarning([redis, ...others.map((other) => other.redis)])
  if (warning !== undefined) yield* Effect.logWarning(`${warning} ${LIMITS_ADVICE}`)
  yield* Effect.forkScoped(Effect.repeat(Effect.delay(beat, beatMillis), Schedule.forever))
}, onRealClock)

/**
 * Enters this process among the live ones of its database until the scope ends. Fails with `ProcessesDiffer` if a live one has
 * settings with which both cannot serve together.
 */
export const layer = (options: Options) => Layer.effectDiscard(make(options))
