import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { eventually } from "../support/eventually.ts"
import { holdingPosts } from "./locks.ts"
import { started } from "./server.ts"
import { get } from "./sockets.ts"

/** Takes a database away from all of its users, and gives it back. */
const takingAway = Effect.fnUntraced(
  function* <A, E, R>(url: Redacted.Redacted, use: Effect.Effect<A, E, R>) {
    const name = new URL(Redacted.value(url)).pathname.slice(1)
    const server = new URL(Redacted.value(url))
    server.pathname = "/postgres"
    const sql = yield* PgClient.make({ url: Redacted.make(server.href), maxConnections: 1 })
    yield* sql`alter database ${sql(name)} allow_connections false`.unprepared
    yield* sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
    yield* use
    yield* sql`alter database ${sql(name)} allow_connections true`.unprepared
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)

describe("an unavailable database", () => {
  it.live("A request whose connection the database ends is also a 503", () =>
    Effect.gen(function* () {
      const { databaseUrl, logs, origin } = yield* started("test_wire_ended")
      yield* holdingPosts(databaseUrl, ({ endWaiting, isAwaited }) =>
        Effect.gen(function* () {
          const asked = yield* Effect.forkChild(get(`${origin}/api/posts`))
          yield* eventually("a request that waits for the database", isAwaited)
          yield* endWaiting
          const answer = yield* Fiber.join(asked)
          assert.strictEqual(answer.status, 503)
          assert.strictEqual(JSON.parse(answer.text).data.code, "dependency_unavailable")
        })
      )
      assert.notInclude(JSON.stringify(logs), "A request died")
    })
  )

  it.live("Operations are 503 with Retry-After, and the service is live, not ready, and recovers", () =>
    Effect.gen(function* () {
      const { databaseUrl, logs, origin } = yield* started("test_wire_away")
      const statuses = Effect.gen(function* () {
        const paths = ["/health/live", "/health/ready", "/api/posts", "/@nobody/nothing"]
        const answers = yield* Effect.forEach(paths, (path) => get(`${origin}${path}`))
        return answers.map(({ headers, status }) => [status, headers.get("retry-after") !== null])
      })
      assert.deepStrictEqual(yield* statuses, [
        [200, false],
        [200, false],
        [200, false],
        [404, false]
      ])
      yield* takingAway(
        databaseUrl,
        Effect.gen(function* () {
          for (let i = 0; i < 3; i++) {
            assert.deepStrictEqual(yield* statuses, [
              [200, false],
              [503, true],
              [503, true],
              [503, true]
            ])
          }
        })
      )
      assert.deepStrictEqual(yield* statuses, [
        [200, false],
        [200, false],
        [200, false],
        [404, false]
      ])
      assert.notInclude(JSON.stringify(logs), "A request died")
    })
  )
})
