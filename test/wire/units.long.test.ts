import { Agent, request } from "node:http"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { freshDatabase } from "../support/Database.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { eventually } from "../support/eventually.ts"
import { serveIn } from "./program.ts"
import { get } from "./sockets.ts"

const SECRET = "a secret that these tests share and nobody else"

/** Starts units over one database and one data directory, as the operator of one machine does. */
const units = Effect.fnUntraced(function* (name: string) {
  const databaseUrl = yield* freshDatabase(name)
  const dataDirectory = yield* temporaryDirectory
  const start = serveIn(dataDirectory, {
    DATABASE_URL: Redacted.value(databaseUrl),
    DATABASE_POOL_SIZE: "2",
    SERVER_SECRET: SECRET,
    PUBLIC_CACHE_MB: "0",
    RATE_LIMIT_FACTOR: "1000000"
  })
  const listening = Effect.gen(function* () {
    const unit = yield* start
    const line = yield* unit.firstLine
    const [, origin = ""] = /^pennypress listening on (\S+)$/.exec(line) ?? []
    assert.notStrictEqual(origin, "", `${line}\n${unit.log.join("\n")}`)
    return { ...unit, origin }
  })
  return { databaseUrl, start, listening }
})

/** Records a migration of a newer release, which takes away something that this one uses. */
const migratedByNewer = Effect.fnUntraced(
  function* (url: Redacted.Redacted) {
    const sql = yield* PgClient.make({ url, maxConnections: 1 })
    yield* sql`insert into effect_sql_migrations (migration_id, name) values (9999, 'contract_newer')`
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)

/** Sends a read. Returns its status, or undefined when no answer comes. */
const ask = (url: string, agent: Agent) =>
  new Promise<number | undefined>((resolve) => {
    const asked = request(url, { agent }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode))
      response.on("error", () => resolve(undefined))
    })
    asked.on("error", () => resolve(undefined))
    asked.end()
  })

/**
 * Sends one read after the other on kept connections, until told to stop. A read without an answer goes to the next unit,
 * as a proxy does it. Returns the statuses.
 */
const asking = (origins: () => ReadonlyArray<string>, isOver: () => boolean) =>
  Effect.promise(async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const statuses: Array<number | undefined> = []
    while (!isOver()) {
      let status: number | undefined
      for (const origin of origins()) status ??= await ask(`${origin}/api/posts`, agent)
      statuses.push(status)
    }
    agent.destroy()
    return statuses
  })

describe("two units over one database", () => {
  it.live("Units that restart one after the other lose no read of a proxy", () =>
    Effect.gen(function* () {
      const { listening } = yield* units("test_wire_units")
      const [first, second] = yield* Effect.all([listening, listening], { concurrency: "unbounded" })
      let origins: ReadonlyArray<string> = [first.origin, second.origin]
      let isOver = false
      const clients = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 6 }, (_, n) =>
            asking(
              () => (n % 2 === 0 ? origins : origins.toReversed()),
              () => isOver
            )
          ),
          { concurrency: "unbounded" }
        )
      )
      for (const unit of [first, second]) {
        unit.child.kill("SIGTERM")
        assert.deepStrictEqual(yield* unit.exit, { code: 0, signal: null }, unit.log.join("\n"))
        const fresh = yield* listening
        yield* eventually(
          "the readiness of the new unit",
          Effect.map(get(`${fresh.origin}/health/ready`), ({ status }) => status === 200)
        )
        origins = [...origins.filter((origin) => origin !== unit.origin), fresh.origin]
      }
      isOver = true
      const statuses = (yield* Fiber.join(clients)).flat()
      assert.isAbove(statuses.length, 6)
      assert.deepStrictEqual(
        statuses.filter((status) => status !== 200),
        []
      )
    })
  )

  it.live("A unit keeps serving after a newer release took something away, and no old one starts", () =>
    Effect.gen(function* () {
      const { databaseUrl, listening, start } = yield* units("test_wire_units_newer")
      const { origin } = yield* listening
      yield* migratedByNewer(databaseUrl)
      const old = yield* start
      assert.deepStrictEqual(yield* old.exit, { code: 1, signal: null })
      const told = old.log.filter((line) => !line.startsWith("{"))
      assert.match(told.join("\n"), /Start the release that made it, or a newer one/)
      assert.strictEqual((yield* get(`${origin}/api/posts`)).status, 200)
    })
  )
})
