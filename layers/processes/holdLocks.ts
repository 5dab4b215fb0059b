import { hostname } from "node:os"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, type Redacted, Schedule, Schema } from "effect"
import { databaseReason } from "../postgres/databaseReason.ts"
import { serverOptions } from "../postgres/serverOptions.ts"
import { writableUrl } from "../postgres/writableHost.ts"
import { onRealClock } from "../time/realClock.ts"
import { type HolderRow, HOLDERS, LOCKS, named, type SettingLock } from "./settingLocks.ts"

/** Another process serves the same database with other files. */
export class FilesNotShared extends Schema.TaggedError<FilesNotShared>()("FilesNotShared", {
  message: Schema.String
}) {}

/** Time between two questions whether the connection is there, and the time for an answer. */
const ASK_MILLIS = 5_000

/** The server needs a moment to notice that the process before this one has ended. */
const PATIENCE = Schedule.upTo(Schedule.spaced("250 millis"), { duration: "1 second" })

const connect = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  return yield* PgConnection.make({
    ...(yield* serverOptions(yield* writableUrl(url))),
    applicationName: `pennypress on ${hostname()}`,
    // A statement of a multiplexed connection is given up immediately. Another one would wait for a silent server.
    multiplex: true,
    connectTimeout: "5 seconds",
    keepAlive: "10 seconds",
    startupParameters: {
      lock_timeout: "10s",
      // The locks of a machine that fell silent end within a minute.
      tcp_keepalives_idle: "30",
      tcp_keepalives_interval: "5",
      tcp_keepalives_count: "3"
    }
  })
})

/** Takes the locks on a connection, one process after the other, unless a process has other files. */
const take = Effect.fnUntraced(function* (
  connection: PgConnection.PgConnection,
  locks: ReadonlyArray<SettingLock>
) {
  const ask = (statement: string, values: ReadonlyArray<unknown> = []) =>
    connection.query(statement, values, false)
  yield* ask("select pg_advisory_lock($1::int4, 0)", [LOCKS])
  const files = locks.find(({ setting }) => setting === "files")
  const { rows } = yield* ask(HOLDERS)
  const others = rows as unknown as ReadonlyArray<HolderRow>
  const other = others.find(({ lock, value }) => lock === files?.lock && value !== files?.value)
  if (other !== undefined) {
    yield* ask("select pg_advisory_unlock($1::int4, 0)", [LOCKS])
    return yield* new FilesNotShared({
      message: `Another process serves this database with other files (${named(other)}). Set the same S3_URL for every process, or the same PENNYPRESS_DATA on one machine. Otherwise, stop that process first.`
    })
  }
  for (const { lock, value } of locks)
    yield* ask("select pg_advisory_lock_shared($1::int4, $2::int4)", [lock, value])
  yield* ask("select pg_advisory_unlock($1::int4, 0)", [LOCKS])
})

/** Opens a connection with the locks, which end with the scope. */
const locked = Effect.fnUntraced(function* (url: Redacted.Redacted, locks: ReadonlyArray<SettingLock>) {
  const connection = yield* connect(url)
  yield* Effect.retry(take(connection, locks), {
    schedule: PATIENCE,
    while: ({ _tag }) => _tag === "FilesNotShared"
  })
  return connection
})

/** Asks until the connection is lost. */
const untilLost = (connection: PgConnection.PgConnection) =>
  connection
    .query("select 1", [], false)
    .pipe(Effect.timeout(ASK_MILLIS), Effect.delay(ASK_MILLIS), Effect.forever)

/**
 * Holds the locks of this process on a connection of its own until the scope ends. Fails with `FilesNotShared` while a
 * process has other files. `heldNoMore` takes the locks again whenever the connection was lost. It fails with
 * `FilesNotShared` if such a process began meanwhile: this one must then end, because one of them would lack files.
 */
export const holdLocks = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  locks: ReadonlyArray<SettingLock>
) {
  const first = yield* locked(url, locks)
  const lost = Effect.logWarning("Lost the connection that holds the locks of this process")
  const again = Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* locked(url, locks)
      yield* Effect.logInfo("This process holds its locks again")
      return yield* untilLost(connection)
    })
  )
  const heldNoMore = untilLost(first).pipe(
    Effect.catchTags({ SqlError: () => lost, TimeoutError: () => lost }),
    Effect.andThen(
      again.pipe(
        Effect.catchTags({
          SqlError: (error) =>
            Effect.logDebug("Could not take the locks of this process again", databaseReason(error)),
          TimeoutError: () => lost
        }),
        Effect.andThen(Effect.sleep("1 second")),
        Effect.forever
      )
    ),
    onRealClock
  )
  return { heldNoMore }
}, onRealClock)
