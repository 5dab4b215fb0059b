import { Agent, request } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { freshDatabase } from "../support/Database.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { serveIn } from "../wire/program.ts"

/** A session of each would be 3,600 bytes: 108 MB. */
const HANDSHAKES = 30_000

/** Room of a process for what it keeps, in MB. A service without sessions needs less than half of it, and dies without room. */
const HEAP_MB = 128

const CONNECTIONS = 16

const BODY = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "tests", version: "1" } }
})

/** Sends this many handshakes, each as a new client. Resolves when all are answered. */
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

describe("a process of its own", () => {
  it.live("A process without room for sessions answers 30,000 handshakes", () =>
    Effect.gen(function* () {
      const { firstLine, log } = yield* serveIn(yield* temporaryDirectory, {
        DATABASE_URL: Redacted.value(yield* freshDatabase("test_handshakes")),
        SERVER_SECRET: "a secret that these tests share and nobody else",
        RATE_LIMIT_FACTOR: "1000000",
        LOG_LEVEL: "error",
        NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`
      })
      const [, origin = ""] = /^pennypress listening on (\S+)$/.exec(yield* firstLine) ?? []
      assert.notStrictEqual(origin, "", log.join("\n"))
      yield* Effect.promise(() => handshakes(origin, HANDSHAKES))
    })
  )
})
