import { existsSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { Context, Effect, Layer, Option, Redacted, Schedule } from "effect"
import { poll } from "../../time/poll.ts"
import { onRealClock } from "../../time/realClock.ts"
import { findBinaries } from "./binaries.ts"
import { ensureCluster, ensureHome, readPassword, superuser } from "./cluster.ts"
import { type DataDirectoryInUse, type EmbeddedPostgresFailed, failure } from "./errors.ts"
import { own } from "./ownership.ts"
import { type PidFile, isPostmaster, runningServer } from "./pidFile.ts"
import { placeHome } from "./placement.ts"
import { type ServerOptions, attachServer, freePort, startServer, stopServer } from "./server.ts"
import { accountFor, assertReachable, runnableBinaries } from "./unprivileged.ts"

/** Options of an embedded server. */
export interface EmbeddedPostgresOptions {
  /** The service's data directory, made if missing. The server lives in `postgres` below it. */
  readonly dataDirectory: string
  /**
   * True, the default, fails with `DataDirectoryInUse` while another process owns the server. False joins that server
   * as a guest and leaves its stop to the owner. Commands use false while the service runs.
   */
  readonly exclusive?: boolean | undefined
  /** Server settings over ours, such as `{ fsync: "off" }` for tests. They apply when the server starts. */
  readonly settings?: Readonly<Record<string, string>> | undefined
}

type Failure = DataDirectoryInUse | EmbeddedPostgresFailed

/** A PostgreSQL server from npm that runs alongside this process and stops with it. */
export class EmbeddedPostgres extends Context.Service<
  EmbeddedPostgres,
  {
    /** The URL of the maintenance database `postgres`, as superuser. */
    readonly url: Redacted.Redacted
    /** The URL of the database with this name, which need not exist. */
    readonly databaseUrl: (name: string) => Redacted.Redacted
    /** The directory of the cluster: `PGDATA`. */
    readonly dataDirectory: string
    /** True when the server already ran: a killed process left it, or another process owns it. */
    readonly attached: boolean
  }
>()("pennypress/layers/postgres/embedded/EmbeddedPostgres") {
  static readonly layer = (options: EmbeddedPostgresOptions): Layer.Layer<EmbeddedPostgres, Failure> =>
    Layer.effect(EmbeddedPostgres, make(options).pipe(onRealClock))
}

/** Time between two checks of a running server. */
const watchIntervalMillis = 1_000
/**
 * Start attempts, each on another port. Another program may take a free port, and a dead server's children need a
 * moment to end.
 */
const startAttempts = 4
/** Time that a guest waits for the owner's server. */
const guestPatienceMillis = 30_000

const restartSchedule = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("15 seconds")])

const make = Effect.fn("EmbeddedPostgres.make")(function* (options: EmbeddedPostgresOptions) {
  const directory = join(options.dataDirectory, "postgres")
  yield* placeHome(directory)
  yield* ensureHome(directory)
  // One name for the folder, without links: the name identifies the processes.
  const home = realpathSync(directory)
  const data = join(home, "data")

  const owned = yield* own(home).pipe(
    Effect.as(true),
    Effect.catchTag("DataDirectoryInUse", (error) =>
      options.exclusive === false ? Effect.succeed(false) : Effect.fail(error)
    )
  )
  if (!owned) return serviceOf(data, yield* joinServer(data), yield* readPassword(data), true)

  const server = yield* prepare(home, data, options)
  const current = { pid: 0 }
  yield* Effect.addFinalizer(() =>
    current.pid === 0 ? Effect.void : stopServer(current.pid, data).pipe(onRealClock)
  )
  const launched = (pid: number) => {
    current.pid = pid
  }

  const found = yield* attachServer(data)
  if (Option.isSome(found)) launched(found.value.pid)
  const running = Option.isSome(found) ? found.value : yield* startAnywhere(server.options, launched)
  yield* Effect.logInfo(
    `PostgreSQL ${Option.isSome(found) ? "was still running" : "started"} on port ${running.port}`
  )

  yield* Effect.forkScoped(supervise(server.options, running.port, current))
  return serviceOf(data, running.port, server.password, Option.isSome(found))
})

const urlOf = (port: number, password: Redacted.Redacted, name: string) =>
  Redacted.make(
    `postgres://${superuser}:${Redacted.value(password)}@127.0.0.1:${port}/${encodeURIComponent(name)}`
  )

/** Returns the URL of a database of the server that runs in a data directory; none without one. Starts nothing. */
export const runningDatabase = Effect.fn("runningDatabase")(function* (dataDirectory: string, name: string) {
  const home = join(dataDirectory, "postgres")
  if (!existsSync(home)) return Option.none()
  const data = join(realpathSync(home), "data")
  const server = runningServer(data)
  if (Option.isNone(server)) return Option.none()
  return Option.some(urlOf(server.value.port, yield* readPassword(data), name))
})

const serviceOf = (data: string, port: number, password: Redacted.Redacted, attached: boolean) => {
  const databaseUrl = (name: string) => urlOf(port, password, name)
  return EmbeddedPostgres.of({ url: databaseUrl("postgres"), databaseUrl, dataDirectory: data, attached })
}

/** Prepares everything that a server needs before its start: programs, account and cluster. */
const prepare = Effect.fnUntraced(function* (home: string, data: string, options: EmbeddedPostgresOptions) {
  const settings = options.settings ?? {}
  const account = yield* accountFor(data)
  yield* assertReachable(home, account)
  const binaries = yield* runnableBinaries(yield* findBinaries(), { account, home })
  const durable = settings["fsync"] !== "off"
  const password = yield* ensureCluster({ binaries, account, home, data, durable })
  const server: ServerOptions = { binaries, account, data, log: join(home, "server.log"), settings }
  return { options: server, password }
})

const startAnywhere = (options: ServerOptions, launched: (pid: number) => void) =>
  Effect.flatMap(freePort, (port) => startServer(options, port, launched)).pipe(
    Effect.retry({ times: startAttempts - 1, schedule: Schedule.exponential("100 millis") })
  )

/** Returns the port of the server that another process owns. */
const joinServer = Effect.fnUntraced(function* (data: string) {
  const server = yield* poll(attachServer(data), guestPatienceMillis)
  if (Option.isSome(server)) return server.value.port
  return yield* failure("attach", `the process that owns ${data} has no running server.`)
})

/** Restarts the server whenever it ends by itself, on the same port. */
const supervise = (options: ServerOptions, port: number, current: { pid: number }) => {
  const restart: Effect.Effect<PidFile, EmbeddedPostgresFailed> = startServer(options, port, (pid) => {
    current.pid = pid
  })
  return Effect.gen(function* () {
    yield* Effect.sleep(watchIntervalMillis)
    if (isPostmaster(current.pid, options.data)) return
    yield* Effect.logError("PostgreSQL exited unexpectedly: restarting it")
    yield* restart.pipe(
      Effect.tapError((error) => Effect.logError(error.message)),
      Effect.retry(restartSchedule)
    )
  }).pipe(Effect.forever)
}
