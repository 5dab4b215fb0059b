import { lstatSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { runningServer } from "../../layers/postgres/embedded/pidFile.ts"
import { freshDatabase } from "../support/Database.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { serveIn } from "./program.ts"
import { get } from "./sockets.ts"

describe("the program", () => {
  it.live("A second process with files of its own does not start, and says what to do", () =>
    Effect.gen(function* () {
      const shared = {
        DATABASE_URL: Redacted.value(yield* freshDatabase("test_wire_other_files")),
        SERVER_SECRET: "a secret that both processes of this test share"
      }
      const first = yield* serveIn(yield* temporaryDirectory, shared)
      yield* first.firstLine
      const second = yield* serveIn(yield* temporaryDirectory, shared)
      assert.deepStrictEqual(yield* second.exit, { code: 1, signal: null })
      const message = second.log.find((line) => line.startsWith("pennypress: "))
      assert.match(
        message ?? "",
        /^pennypress: Another process serves this database with other files \(pennypress on /
      )
      assert.isNull(first.child.exitCode)
    })
  )

  it.live("The program says where it listens, serves, logs JSON lines, and on SIGTERM ends with 0", () =>
    Effect.gen(function* () {
      // Does not exist yet, as at a first start: the program makes everything in it.
      const dataDirectory = join(yield* temporaryDirectory, "data directory")
      const cluster = join(dataDirectory, "postgres", "data")
      const { child, exit, firstLine, log } = yield* serveIn(dataDirectory)

      const line = yield* firstLine
      // The database is in the requested place, not behind a link to another one.
      assert.isTrue(lstatSync(join(dataDirectory, "postgres")).isDirectory())
      assert.strictEqual(lstatSync(join(dataDirectory, "server-secret")).mode & 0o777, 0o600)
      const [, origin = ""] = /^pennypress listening on (http:\/\/127\.0\.0\.1:\d+)$/.exec(line) ?? []
      assert.notStrictEqual(origin, "", `${line}\n${log.join("\n")}`)
      assert.isTrue(Option.isSome(runningServer(cluster)))
      const headers = { "x-request-id": "seen" }
      assert.strictEqual((yield* get(`${origin}/health/ready`)).status, 200)
      assert.strictEqual((yield* get(`${origin}/api/v1/me`, { headers })).status, 401)

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
        route: "/api/v1/me",
        status: 401
      })
      assert.deepStrictEqual(
        lines.filter((it) => it.level === "ERROR" || it.level === "FATAL"),
        []
      )
    })
  )
})
