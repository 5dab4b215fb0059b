import { Agent, request } from "node:http"
import { createServer } from "node:net"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { runningServer } from "../../layers/postgres/embedded/pidFile.ts"
import { freshDatabase } from "../support/Database.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { eventually } from "../support/eventually.ts"
import { serveIn } from "./program.ts"
import { get } from "./sockets.ts"

const SECRET = "a secret that these tests share and nobody else"

const lines = (log: ReadonlyArray<string>) =>
  log.flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []))

/** Returns the process ids of serving processes by number, in the order in which they listened. */
const listened = (log: ReadonlyArray<string>) =>
  lines(log)
    .filter(({ message }) => message === "A serving process listens")
    .map(({ annotations }) => ({ process: Number(annotations.process), pid: Number(annotations.pid) }))

/** Waits until so many processes have begun to listen, and returns them. */
const listeners = (log: ReadonlyArray<string>, count: number) =>
  eventually(
    `${count} processes that listen`,
    Effect.sync(() => listened(log).length >= count)
  ).pipe(Effect.andThen(Effect.sync(() => listened(log))))

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Starts the program with two processes over a database of the test's server. */
const twoProcesses = Effect.fnUntraced(function* (
  name: string,
  environment: Readonly<Record<string, string>> = {}
) {
  const databaseUrl = yield* freshDatabase(name)
  const program = yield* serveIn(yield* temporaryDirectory, {
    DATABASE_URL: Redacted.value(databaseUrl),
    DATABASE_POOL_SIZE: "2",
    SERVER_SECRET: SECRET,
    PROCESSES: "2",
    PUBLIC_CACHE_MB: "0",
    ...environment
  })
  const line = yield* program.firstLine
  const [, origin = ""] = /^pennypress listening on (\S+)$/.exec(line) ?? []
  assert.notStrictEqual(origin, "", `${line}\n${program.log.join("\n")}`)
  return { ...program, databaseUrl, origin }
})

/** Records a migration that this release does not have. */
const migratedByNewer = Effect.fnUntraced(
  function* (url: Redacted.Redacted) {
    const sql = yield* PgClient.make({ url, maxConnections: 1 })
    yield* sql`insert into effect_sql_migrations (migration_id, name) values (9999, 'newer')`
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)

/** Sends one request after the other on a kept connection, until told to stop. Returns the statuses. */
const asking = (url: string, isOver: () => boolean) =>
  Effect.promise(async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const statuses: Array<number | string> = []
    while (!isOver()) {
      statuses.push(
        await new Promise<number | string>((resolve) => {
          const asked = request(url, { agent }, (response) => {
            response.resume().on("end", () => resolve(response.statusCode ?? 0))
            response.on("error", (error) => resolve(error.message))
          })
          asked.on("error", (error) => resolve(error.message))
          asked.end()
        })
      )
    }
    agent.destroy()
    return statuses
  })

describe("a service of two processes", () => {
  it.live("Both processes answer, limits count exactly, and a killed process is replaced", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* temporaryDirectory
      const { child, exit, firstLine, log } = yield* serveIn(dataDirectory, {
        PROCESSES: "2",
        PUBLIC_CACHE_MB: "0",
        RATE_LIMIT_FACTOR: "0.01"
      })
      const [, origin = ""] = /^pennypress listening on (\S+)$/.exec(yield* firstLine) ?? []
      assert.notStrictEqual(origin, "", log.join("\n"))
      const first = yield* listeners(log, 2)
      assert.deepStrictEqual(first.map((it) => it.process).toSorted(), [1, 2])

      const headers = { connection: "close" }
      const read = get(`${origin}/api/posts`, { headers })
      const answers = yield* Effect.all(
        Array.from({ length: 40 }, () => read),
        { concurrency: 8 }
      )
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 12)
      assert.strictEqual(answers.filter(({ status }) => status === 429).length, 28)
      const { text } = yield* get(`${origin}/metrics`, { headers })
      const counted = [
        ...text.matchAll(
          /^http_request_duration_seconds_count\{process="(\d)",[^}]*route="\/api\/posts",status="(\d+)"[^}]*\} (\d+)$/gm
        )
      ].map(([, process, status, count]) => ({ process, status, count: Number(count) }))
      const answered = counted.filter(({ status }) => status === "200")
      assert.deepStrictEqual(new Set(answered.map(({ process }) => process)), new Set(["1", "2"]), text)
      assert.strictEqual(
        answered.reduce((sum, { count }) => sum + count, 0),
        12
      )

      const [killed = { process: 0, pid: 0 }] = first
      process.kill(killed.pid, "SIGKILL")
      yield* listeners(log, 3)
      assert.strictEqual(listened(log)[2]?.process, killed.process)
      assert.strictEqual((yield* get(`${origin}/health/ready`, { headers })).status, 200)

      const cluster = `${dataDirectory}/postgres/data`
      assert.isTrue(Option.isSome(runningServer(cluster)))
      child.kill("SIGTERM")
      assert.deepStrictEqual(yield* exit, { code: 0, signal: null }, log.join("\n"))
      assert.isTrue(Option.isNone(runningServer(cluster)))
      assert.deepStrictEqual(
        listened(log).filter(({ pid }) => isAlive(pid)),
        []
      )
    })
  )

  it.live("No request is lost while SIGHUP replaces both processes", () =>
    Effect.gen(function* () {
      const { child, databaseUrl, exit, log, origin } = yield* twoProcesses("test_wire_restart", {
        RATE_LIMIT_FACTOR: "1000000"
      })
      let isOver = false
      const clients = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 6 }, () => asking(`${origin}/api/posts`, () => isOver)),
          { concurrency: "unbounded" }
        )
      )
      child.kill("SIGHUP")
      const isDone = Effect.sync(() =>
        lines(log).some(({ message }) => message === "Every serving process was replaced")
      )
      yield* eventually("the restart", isDone)
      isOver = true
      const statuses = (yield* Fiber.join(clients)).flat()
      assert.isAbove(statuses.length, 6)
      assert.deepStrictEqual(
        statuses.filter((status) => status !== 200),
        []
      )
      const pids = listened(log)
      assert.deepStrictEqual(
        pids.map((it) => it.process),
        [...pids.slice(0, 2).map((it) => it.process), 1, 2]
      )
      assert.deepStrictEqual(
        pids.map(({ pid }) => isAlive(pid)),
        [false, false, true, true]
      )

      // A newer release has migrated the database, so no fresh process of this one can start.
      yield* migratedByNewer(databaseUrl)
      child.kill("SIGHUP")
      yield* eventually(
        "the refusal",
        Effect.sync(() =>
          lines(log).some(({ message }) => String(message).startsWith("A new process does not start"))
        )
      )
      assert.strictEqual((yield* get(`${origin}/api/posts`)).status, 200)
      assert.strictEqual(listened(log).length, 4)

      // Processes do not outlive the one that counts for them.
      child.kill("SIGKILL")
      yield* exit
      yield* eventually(
        "the end of the other processes",
        Effect.sync(() => listened(log).every(({ pid }) => !isAlive(pid)))
      )
    })
  )

  it.live("A service that its operator must fix ends with one message", () =>
    Effect.gen(function* () {
      const taken = createServer()
      const port = yield* Effect.callback<number>((resume) => {
        taken.listen(0, "127.0.0.1", () => {
          const address = taken.address()
          resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
        })
      })
      const { exit, log } = yield* serveIn(yield* temporaryDirectory, {
        DATABASE_URL: Redacted.value(yield* freshDatabase("test_wire_taken_port")),
        SERVER_SECRET: SECRET,
        PROCESSES: "2",
        PORT: String(port)
      })
      assert.deepStrictEqual(yield* exit, { code: 1, signal: null })
      taken.close()
      const told = log.filter((line) => !line.startsWith("{"))
      assert.strictEqual(told.length, 1, log.join("\n"))
      assert.match(told[0] ?? "", /^pennypress: The address is in use/)
    })
  )
})
