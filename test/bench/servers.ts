import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { openSync, readFileSync, writeFileSync } from "node:fs"
import { devNull } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Effect } from "effect"
import { startScriptOf } from "../support/startScript.ts"
import { type Database, directory } from "./database.ts"

/** The memory and processor time of a process. */
export interface Usage {
  readonly peakMegabytes: number
  readonly cpuSeconds: number
}

/** A server in a process of its own. */
export interface Server {
  readonly name: string
  readonly pid: number
  readonly url: string
  readonly database: Database
  /** The directory of its stored files. */
  readonly data: string
  /** Begins a measurement. Its end returns the peak of the memory and the processor time since. */
  readonly measure: () => () => Usage
  readonly residentMegabytes: () => number
}

/** The compared processes: of this checkout, and of the one of `--against`. */
export interface Servers {
  readonly kept: ReadonlyArray<Server>
  /** They run without the store of answers. */
  readonly cold: ReadonlyArray<Server>
  readonly fastify: Server
}

const path = process.env["PATH"]
const CLOCK_TICKS_PER_SECOND = 100

const megabytes = (pid: number, name: "VmHWM" | "VmRSS") =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

const cpuSeconds = (pid: number) => {
  const [, afterName = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")
  const [user, system] = afterName.split(" ").slice(11, 13)
  return (Number(user) + Number(system)) / CLOCK_TICKS_PER_SECOND
}

const measure = (name: string, child: ChildProcess) => () => {
  const { exitCode, pid = 0, signalCode } = child
  if (exitCode !== null || signalCode !== null)
    throw new Error(`${name} ended with ${signalCode ?? exitCode}`)
  // Forgets the peak so far.
  writeFileSync(`/proc/${pid}/clear_refs`, "5")
  const before = cpuSeconds(pid)
  return () => ({ peakMegabytes: megabytes(pid, "VmHWM"), cpuSeconds: cpuSeconds(pid) - before })
}

/** Reads the address in the first line that a server prints. */
const listening = async (name: string, child: ChildProcess) => {
  if (child.stdout === null) throw new Error(`${name} has no output`)
  const lines = createInterface({ input: child.stdout })
  const [line] = await Promise.race([once(lines, "line"), once(lines, "close").then(() => [""])])
  const url = /http:\/\/\S+/.exec(String(line))?.[0]
  if (url === undefined) throw new Error(`${name} ended before it listened; start it by hand to see why`)
  return url
}

const stop = async (child: ChildProcess) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGTERM")
  await once(child, "exit")
}

interface Program {
  readonly name: string
  /** Arguments of Node.js. */
  readonly args: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** The directory of its stored files. Default: a new one. */
  readonly data?: string
}

/** Starts a server that ends with the scope. All servers have the same environment and pool. */
export const start = Effect.fnUntraced(function* (program: Program, database: Database) {
  const { args, env = {}, name } = program
  const data = program.data ?? (yield* directory)
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, args, {
        env: {
          PATH: path,
          NODE_ENV: "production",
          DATABASE_URL: database.url,
          DATABASE_POOL_SIZE: "10",
          SERVER_SECRET: "a secret for a benchmark and for nothing else",
          PUBLIC_BASE_URL: "http://press.example",
          PENNYPRESS_DATA: data,
          PORT: "0",
          LOG_LEVEL: "info",
          RATE_LIMIT_FACTOR: "1000000",
          SCANNER: "none",
          ...env
        },
        stdio: ["ignore", "pipe", openSync(devNull, "w")]
      })
    ),
    (child) => Effect.promise(() => stop(child))
  )
  const url = yield* Effect.promise(() => listening(name, child))
  const pid = child.pid ?? 0
  const residentMegabytes = () => megabytes(pid, "VmRSS")
  return { name, pid, url, database, data, measure: measure(name, child), residentMegabytes } satisfies Server
})

export const own = (path: string) => join(import.meta.dirname, path)

/** Starts the Fastify server. */
export const reference = (database: Database) =>
  start({ name: "fastify", args: [own("reference/fastify.ts")] }, database)

/** Starts a Nano node that confirms each block as soon as it comes. */
export const nanoNode = (database: Database) =>
  start({ name: "nano node", args: [own("nano/node.ts")] }, database)

/** A checkout of the service, with a database of its own. */
export interface Checkout {
  readonly name: string
  readonly path: string
  readonly database: Database
  /** The directory of stored files, which processes of one database have to share. */
  readonly data: string
}

/** Starts the service as `npm start` does. `isKeeping` is about its store of answers. `more` are settings of its own. */
export const service = (
  { data, database, name, path }: Checkout,
  node: Server,
  isKeeping: boolean,
  more: Readonly<Record<string, string>> = {}
) => {
  const { flags, variables } = startScriptOf(join(path, "package.json"))
  const env = {
    ...variables,
    NANO_RPC_URL: node.url,
    NANO_WS_URL: node.url.replace("http", "ws"),
    // Any work will do.
    NANO_WORK_THRESHOLD: "0".repeat(16),
    ...(isKeeping ? {} : { PUBLIC_CACHE_MB: "0" }),
    ...more
  }
  const args = [...flags, join(path, "src/bin/pennypress.ts"), "serve"]
  return start({ name, args, env, data }, database)
}
