import { execFileSync } from "node:child_process"
import { mkdirSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Option, Redacted, Schedule } from "effect"
import { findBinaries } from "../../layers/postgres/embedded/binaries.ts"
import { ensureCluster, ensureHome, superuser } from "../../layers/postgres/embedded/cluster.ts"
import { isPostmaster, runningServer } from "../../layers/postgres/embedded/pidFile.ts"
import { freePort, startServer } from "../../layers/postgres/embedded/server.ts"
import { accountFor, runnableBinaries } from "../../layers/postgres/embedded/unprivileged.ts"
import { temporaryDataDirectory } from "../support/directories.ts"
import { eventually } from "../support/eventually.ts"

/** Answered commits outlive the server, as they must. These tests never cut the power of the machine. */
const settings = { fsync: "off", full_page_writes: "off", max_prepared_transactions: "1" }

/** A server that was prepared, and runs or not. */
interface Server {
  readonly data: string
  readonly port: number
  readonly password: Redacted.Redacted
}

/** Prepares a server. A standby is a copy of a primary that has not started yet, and follows it. */
const prepared = Effect.fnUntraced(function* (primary?: Server) {
  const directory = join(yield* temporaryDataDirectory, "postgres")
  mkdirSync(directory, { mode: 0o755 })
  yield* ensureHome(directory)
  const home = realpathSync(directory)
  const data = join(home, "data")
  if (primary !== undefined) {
    execFileSync("cp", ["-a", primary.data, data])
    writeFileSync(join(data, "standby.signal"), "")
  }
  const account = yield* accountFor(data)
  const binaries = yield* runnableBinaries(yield* findBinaries(), { account, home })
  const password = yield* ensureCluster({ binaries, account, home, data, durable: false })
  const following =
    primary === undefined
      ? {}
      : {
          primary_conninfo: `host=127.0.0.1 port=${primary.port} user=${superuser} password=${Redacted.value(primary.password)}`,
          wal_retrieve_retry_interval: "100ms"
        }
  const options = {
    binaries,
    account,
    data,
    log: join(home, "server.log"),
    settings: { ...settings, ...following }
  }
  const port = yield* freePort

  // Processes of a killed server take a moment to end.
  const start = startServer(options, port, () => {}).pipe(
    Effect.retry({ times: 5, schedule: Schedule.exponential("100 millis") })
  )
  return {
    data,
    port,
    password,
    /** URL of the maintenance database, as superuser. */
    url: `postgres://${superuser}:${Redacted.value(password)}@127.0.0.1:${port}/postgres`,
    start: Effect.asVoid(start),
    /** Stops the server, and returns when it is gone. `SIGINT` is a fast shutdown, `SIGQUIT` stops as after a crash. */
    stop: (signal: "SIGINT" | "SIGQUIT") =>
      Effect.gen(function* () {
        const { pid } = Option.getOrThrow(runningServer(data))
        process.kill(pid, signal)
        yield* eventually(
          "the end of the server",
          Effect.sync(() => !isPostmaster(pid, data))
        )
      })
  }
})

/**
 * Starts a PostgreSQL server of the test's own, which restarts only on request. A signal stops it, and it comes back on
 * the same port with the same data. It ends with the scope.
 */
export const ownPostgres = Effect.gen(function* () {
  const server = yield* prepared()
  yield* server.start
  return server
}).pipe(Effect.orDie)

/** Starts two such servers: a primary, and a standby that follows it. */
export const primaryAndStandby = Effect.gen(function* () {
  const primary = yield* prepared()
  const standby = yield* prepared(primary)
  yield* primary.start
  yield* standby.start
  return { primary, standby }
}).pipe(Effect.orDie)
