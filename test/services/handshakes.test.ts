import { readFileSync } from "node:fs"
import { Agent, request } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { freshDatabase } from "../support/Database.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { serveIn } from "../wire/program.ts"

/** Handshakes before the first look, after which the process has what it keeps. */
const FIRST = 40_000

/** Handshakes between the two looks. A session of each would be 3,600 bytes: 360 MB. */
const MANY = 100_000

/** Bytes by which a process may grow that keeps nothing of them: V8 takes its time, and a third of what sessions would be. */
const GROWTH_MAX = 128 * 1024 * 1024

const CONNECTIONS = 16

const BODY = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "tests", version: "1" } }
})

/** Sends so many handshakes, each as a new client. Resolves when all are answered. */
const handshakes = async (origin: string, count: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const { hostname, port } = new URL(origin)
  const handshake = () =>
    new Promise<void>((resolve, reject) => {
      const sent = request(
        {
          agent,
          hostname,
          port,
          method: "POST",
          path: "/mcp",
          headers: { "content-type": "application/json", "content-length": Buffer.byteLength(BODY) }
        },
        (answer) => {
          answer.resume()
          answer.on("end", () => {
            if (answer.statusCode === 200) resolve()
            else reject(new Error(`${answer.statusCode}`))
          })
        }
      )
      sent.on("error", reject)
      sent.end(BODY)
    })
  let left = count
  const connection = async () => {
    while (left-- > 0) await handshake()
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  agent.destroy()
}

/** Returns the resident memory of a process in bytes. */
const memoryOf = (pid: number | undefined) => {
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  return Number(kilobytes) * 1024
}

describe("a process of its own", () => {
  it.live("A process keeps nothing of 100,000 handshakes", () =>
    Effect.gen(function* () {
      const { child, firstLine, log } = yield* serveIn(yield* temporaryDirectory, {
        DATABASE_URL: Redacted.value(yield* freshDatabase("test_handshakes")),
        SERVER_SECRET: "a secret that these tests share and nobody else",
        RATE_LIMIT_FACTOR: "1000000",
        LOG_LEVEL: "error"
      })
      const [, origin = ""] = /^pennypress listening on (\S+)$/.exec(yield* firstLine) ?? []
      assert.notStrictEqual(origin, "", log.join("\n"))
      yield* Effect.promise(() => handshakes(origin, FIRST))
      const before = memoryOf(child.pid)
      yield* Effect.promise(() => handshakes(origin, MANY))
      const growth = memoryOf(child.pid) - before
      assert.isBelow(growth, GROWTH_MAX, `from ${before}`)
    })
  )
})
