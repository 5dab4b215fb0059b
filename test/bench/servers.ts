import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { openSync, readFileSync, writeFileSync } from "node:fs"
import { devNull } from "node:os"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Effect, type Scope } from "effect"
import { startFlags } from "../support/startScript.ts"
import { directory } from "./database.ts"
import type { LoadRequest } from "./loadRequest.ts"
import type { Statements } from "./statements.ts"

/** The compared servers, in the order of the rounds: the service first. */
export const programs = {
  pennypress: ["../../src/bin/pennypress.ts", "serve"],
  // The service without its store of public answers.
  cold: ["../../src/bin/pennypress.ts", "serve"],
  "node:http": ["reference/bare.ts"],
  fastify: ["reference/fastify.ts"],
  "fastify-multipart": ["reference/uploads.ts"],
  // A Nano node that confirms at once.
  ledger: ["payments/ledgerNode.ts"]
} as const

export type ServerName = keyof typeof programs
export const referenceNames: ReadonlyArray<ServerName> = ["node:http", "fastify"]

const isOurs = (name: ServerName) => name === "pennypress" || name === "cold"

/** The memory and processor time of a process. */
export interface Usage {
  readonly peakMegabytes: number
  readonly cpuSeconds: number
}

/** A server in a process of its own. */
export interface Server {
  readonly name: ServerName
  readonly url: string
  readonly pid: number
  /** The directory of its stored files. */
  readonly data: string
  /** Begins a measurement. Its end returns the peak of the memory and the processor time since. */
  readonly measure: () => () => Usage
  /** Begins to watch the event loop. Its end returns the p99 of waits since, in milliseconds. */
  readonly watchEventLoop: () => () => Promise<number>
}

const CLOCK_TICKS_PER_SECOND = 100

/** Settings of the service by their names. */
type Settings = Readonly<Record<string, string>>

/** Returns the peak memory of a process since it began, or since the peak was forgotten. */
export const peakMegabytes = (pid: number) =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

const cpuSeconds = (pid: number) => {
  const [, afterName = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")
  const [user, system] = afterName.split(" ").slice(11, 13)
  return (Number(user) + Number(system)) / CLOCK_TICKS_PER_SECOND
}

const measure = (name: ServerName, child: ChildProcess) => () => {
  const { exitCode, pid = 0, signalCode } = child
  if (exitCode !== null || signalCode !== null)
    throw new Error(`${name} ended with ${signalCode ?? exitCode}`)
  // Forgets the peak so far.
  writeFileSync(`/proc/${pid}/clear_refs`, "5")
  const before = cpuSeconds(pid)
  return () => ({ peakMegabytes: peakMegabytes(pid), cpuSeconds: cpuSeconds(pid) - before })
}

/** Reads the address in the first line that a server prints. */
const listening = async (name: ServerName, child: ChildProcess) => {
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

/** The environment of every server, except the subject of a measurement. */
const environmentOf = (databaseUrl: string, data: string, statements: Statements) => ({
  PATH: process.env["PATH"],
  NODE_ENV: "production",
  DATABASE_URL: databaseUrl,
  DATABASE_POOL_SIZE: "10",
  SERVER_SECRET: "a secret for a benchmark and for nothing else",
  PUBLIC_BASE_URL: "http://press.example",
  PENNYPRESS_DATA: data,
  PORT: "0",
  LOG_LEVEL: "info",
  RATE_LIMIT_FACTOR: "1000000",
  STATEMENTS: JSON.stringify(statements)
})

const fileOf = (program: string) => fileURLToPath(new URL(program, import.meta.url))

const preload = new URL("eventLoopDelay.ts", import.meta.url).href

/** Starts a server that ends with the scope. All servers have the same environment and pool. */
export const start = Effect.fnUntraced(function* (
  name: ServerName,
  databaseUrl: string,
  statements: Statements = {},
  settings: Settings = {}
): Effect.fn.Return<Server, never, Scope.Scope> {
  const [program, ...args] = programs[name]
  const data = yield* directory
  const own = name === "cold" ? { PUBLIC_CACHE_MB: "0" } : {}
  const env = { ...environmentOf(databaseUrl, data, statements), ...own, ...settings }
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(
        process.execPath,
        ["--import", preload, ...(isOurs(name) ? startFlags : []), fileOf(program), ...args],
        {
          env,
          stdio: ["ignore", "pipe", openSync(devNull, "w"), "ipc"]
        }
      )
    ),
    (child) => Effect.promise(() => stop(child))
  )
  const url = yield* Effect.promise(() => listening(name, child))
  const watchEventLoop = () => {
    child.send("begin")
    return async () => {
      child.send("end")
      const [milliseconds] = await once(child, "message")
      return Number(milliseconds)
    }
  }
  return { name, url, pid: child.pid ?? 0, data, measure: measure(name, child), watchEventLoop }
})

/** Sends one request, outside any load. */
export const answerOf = async (server: Server, { path, ...request }: LoadRequest) => {
  const response = await fetch(`${server.url}${path}`, request)
  return { status: response.status, body: await response.text() }
}
