import { spawn } from "node:child_process"
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from "node:fs"
import { createServer } from "node:net"
import { Effect, Option } from "effect"
import { poll } from "../../time/poll.ts"
import type { Binaries } from "./binaries.ts"
import { environment } from "./cluster.ts"
import { failure, messageOf } from "./errors.ts"
import { type PidFile, forgetRecycledPid, isPostmaster, readPidFile, runningServer } from "./pidFile.ts"
import type { Account } from "./unprivileged.ts"

/** Deadline of a start: replaying the log after a crash may take long. */
const readyWithinMillis = 120_000
/** Deadline of a fast shutdown, which rolls back and writes a checkpoint. */
const fastShutdownMillis = 20_000
const immediateShutdownMillis = 8_000
/** Size at which the next start begins a new log. */
const logLimitBytes = 10 * 1024 * 1024

/** Options for starting a server. */
export interface ServerOptions {
  readonly binaries: Binaries
  readonly account: Account | undefined
  readonly data: string
  readonly log: string
  readonly settings: Readonly<Record<string, string>>
}

/**
 * Settings for a small machine that also runs the service. Durability (`fsync`, `synchronous_commit`) keeps its
 * defaults.
 */
const defaults = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "100",
  shared_buffers: "128MB",
  effective_cache_size: "512MB",
  // Compilation takes longer than the short statements of a service.
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  log_checkpoints: "off",
  // Error details repeat values of rows, such as the e-mail address that two accounts want.
  log_error_verbosity: "terse",
  log_line_prefix: "%m [%p] %a "
}

/** Returns a port of the loopback interface that was free a moment ago. */
export const freePort = Effect.callback<number>((resume) => {
  const probe = createServer()
  probe.once("error", (error) => resume(Effect.die(error)))
  probe.listen(0, "127.0.0.1", () => {
    const address = probe.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    probe.close(() => resume(Effect.succeed(port)))
  })
})

const openLog = (log: string) => {
  if (existsSync(log) && statSync(log).size > logLimitBytes) renameSync(log, `${log}.1`)
  return openSync(log, "a", 0o600)
}

/**
 * Starts the program and returns its process id. It leads a session of its own, so Ctrl-C in our terminal reaches only
 * us. Our pools then close before it stops. It does not keep our process alive.
 */
const launch = (options: ServerOptions, port: number) =>
  Effect.callback<number, ReturnType<typeof failure>>((resume) => {
    const refused = (cause: unknown) => resume(failure("start", `cannot start: ${messageOf(cause)}.`))
    const settings = Object.entries({ ...defaults, ...options.settings, port: String(port) })
    try {
      const log = openLog(options.log)
      const child = spawn(
        options.binaries.postgres,
        ["-D", options.data, ...settings.flatMap(([name, value]) => ["-c", `${name}=${value}`])],
        {
          ...options.account,
          cwd: options.data,
          env: environment,
          detached: true,
          stdio: ["ignore", log, log]
        }
      )
      closeSync(log)
      child.unref()
      child.once("error", refused)
      child.once("spawn", () => resume(child.pid === undefined ? Effect.never : Effect.succeed(child.pid)))
    } catch (cause) {
      refused(cause)
    }
  }).pipe(Effect.uninterruptible)

const lastLines = (log: string) => {
  try {
    return readFileSync(log, "utf8").trimEnd().split("\n").slice(-5).join("\n")
  } catch {
    return ""
  }
}

/** Returns the server once it takes connections. Returns none if the process ended first or missed the deadline. */
const ready = (pid: number, data: string) =>
  poll(
    Effect.sync((): Option.Option<Option.Option<PidFile>> => {
      const server = Option.filter(readPidFile(data), (file) => file.pid === pid && file.ready)
      if (Option.isSome(server)) return Option.some(server)
      return isPostmaster(pid, data) ? Option.none() : Option.some(Option.none())
    }),
    readyWithinMillis
  ).pipe(Effect.map(Option.flatten))

/** Starts a server on a port. `launched` receives its process id before the server is ready. */
export const startServer = Effect.fn("startServer")(function* (
  options: ServerOptions,
  port: number,
  launched: (pid: number) => void
) {
  forgetRecycledPid(options.data)
  const pid = yield* Effect.tap(launch(options, port), (pid) => Effect.sync(() => launched(pid))).pipe(
    Effect.uninterruptible
  )
  const server = yield* ready(pid, options.data)
  if (Option.isSome(server)) return server.value
  return yield* failure("start", `it did not start. The end of ${options.log}:\n${lastLines(options.log)}`)
})

/**
 * Returns the living server of a data directory once it takes connections. Returns none without such a server, or if it
 * stopped meanwhile.
 */
export const attachServer = (data: string) =>
  Effect.suspend(() =>
    Option.match(runningServer(data), {
      onNone: () => Effect.succeedNone,
      onSome: ({ pid }) => ready(pid, data)
    })
  )

const signal = (pid: number, name: NodeJS.Signals) => {
  try {
    process.kill(pid, name)
  } catch {
    // The process ended before the signal.
  }
}

/**
 * Stops a postmaster with a fast shutdown. If that takes too long, stops it at once; the next start recovers from its
 * log.
 */
export const stopServer = Effect.fn("stopServer")(function* (pid: number, data: string) {
  const ended = Effect.sync(() => (isPostmaster(pid, data) ? Option.none() : Option.some(true)))
  for (const [name, withinMillis] of [
    ["SIGINT", fastShutdownMillis],
    ["SIGQUIT", immediateShutdownMillis]
  ] as const) {
    if (!isPostmaster(pid, data)) return
    signal(pid, name)
    if (Option.isSome(yield* poll(ended, withinMillis))) return
    yield* Effect.logWarning(`PostgreSQL did not stop within ${withinMillis} ms of ${name}`)
  }
})
