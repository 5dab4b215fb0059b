import { spawn } from "node:child_process"
import { once } from "node:events"
import { lstatSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { runningServer } from "../../layers/postgres/pidFile.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { get } from "./sockets.ts"

const PROGRAM = fileURLToPath(new URL("../../src/bin/pennypress.ts", import.meta.url))

const path = process.env["PATH"]

/** `pennypress serve` with a database of its own, as somebody who has nothing else starts it; killed with the scope. */
const serveIn = (dataDirectory: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const env = {
        PATH: path,
        PENNYPRESS_DATA: dataDirectory,
        PORT: "0",
        LOG_FORMAT: "json",
        LOG_LEVEL: "debug"
      }
      const child = spawn(process.execPath, [PROGRAM, "serve"], { env, stdio: ["ignore", "pipe", "pipe"] })
      const log: Array<string> = []
      createInterface({ input: child.stderr }).on("line", (line) => log.push(line))
      const lines = createInterface({ input: child.stdout })
      const firstLine = once(lines, "line").then(([line]) => String(line))
      const exit = once(child, "close").then(([code, signal]) => ({ code, signal }))
      return { child, log, firstLine: Effect.promise(() => firstLine), exit: Effect.promise(() => exit) }
    }),
    ({ child, exit }) => Effect.sync(() => child.kill("SIGKILL")).pipe(Effect.andThen(exit))
  )

describe("the program", () => {
  it.live(
    "says where it listens, serves, logs JSON lines, and on SIGTERM ends with 0 and its database with it",
    () =>
      Effect.gen(function* () {
        // Not there yet, as at a first start: everything in it is made by the program.
        const dataDirectory = join(yield* temporaryDirectory, "data directory")
        const cluster = join(dataDirectory, "postgres", "data")
        const { child, exit, firstLine, log } = yield* serveIn(dataDirectory)

        const line = yield* firstLine
        // Where it was asked for, and no link to another place.
        assert.isTrue(lstatSync(join(dataDirectory, "postgres")).isDirectory())
        assert.strictEqual(lstatSync(join(dataDirectory, "server-secret")).mode & 0o777, 0o600)
        const [, origin = ""] = /^pennypress listening on (http:\/\/127\.0\.0\.1:\d+)$/.exec(line) ?? []
        assert.notStrictEqual(origin, "", `${line}\n${log.join("\n")}`)
        assert.isTrue(Option.isSome(runningServer(cluster)))
        const headers = { "x-request-id": "seen" }
        assert.strictEqual((yield* get(`${origin}/health/ready`)).status, 200)
        assert.strictEqual((yield* get(`${origin}/api/posts/none`, { headers })).status, 404)

        child.kill("SIGTERM")
        assert.deepStrictEqual(yield* exit, { code: 0, signal: null }, log.join("\n"))
        assert.isTrue(Option.isNone(runningServer(cluster)))

        const lines = log.map((it) => JSON.parse(it))
        const seen = lines.find((it) => it.message === "request" && it.annotations.requestId === "seen")
        assert.strictEqual(seen.level, "INFO")
        assert.isFalse(Number.isNaN(Date.parse(seen.timestamp)))
        const { milliseconds, ...annotations } = seen.annotations
        assert.isNumber(milliseconds)
        assert.deepStrictEqual(annotations, {
          requestId: "seen",
          method: "GET",
          route: "/api/posts/:postId",
          status: 404
        })
        assert.deepStrictEqual(
          lines.filter((it) => it.level === "ERROR" || it.level === "FATAL"),
          []
        )
      }),
    60_000
  )
})
