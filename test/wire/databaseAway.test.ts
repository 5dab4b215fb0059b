import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { eventually } from "../support/eventually.ts"
import { holdingPosts } from "./locks.ts"
import { started } from "./server.ts"
import { get } from "./sockets.ts"

const MISSING = "01990000-0000-7000-8000-00000000beef"

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
        // No answer to the last two is kept.
        const paths = ["/health/live", "/health/ready", `/api/posts/${MISSING}`, "/@nobody/nothing"]
        const answers = yield* Effect.forEach(paths, (path) => get(`${origin}${path}`))
        return answers.map(({ headers, status }) => [status, headers.get("retry-after") !== null])
      })
      assert.deepStrictEqual(yield* statuses, [
        [200, false],
        [200, false],
        [404, false],
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
        [404, false],
        [404, false]
      ])
      assert.notInclude(JSON.stringify(logs), "A request died")
    })
  )

  it.live("Kept public answers stand in with their age, private ones and other reads do not", () =>
    Effect.gen(function* () {
      // A routed request, and one that is answered before it is routed.
      for (const level of ["debug", "info"]) {
        const { databaseUrl, logs, origin } = yield* started(
          `test_wire_stand_in_${level}`,
          {},
          { LOG_LEVEL: level }
        )
        const at = (path: string, init?: RequestInit) => get(`${origin}${path}`, init)
        const ready = (query: string) => Effect.map(at(`/health/ready${query}`), ({ status }) => status)
        const html = { headers: { accept: "text/html" } }
        // A process keeps answers as soon as it hears others.
        yield* eventually(
          "kept answers",
          Effect.gen(function* () {
            yield* at("/api/posts")
            return /outcome="(hit|unrouted)"\} [1-9]/.test((yield* at("/metrics")).text)
          })
        )
        const before = { list: yield* at("/api/posts"), home: yield* at("/", html) }
        yield* takingAway(
          databaseUrl,
          Effect.gen(function* () {
            // The loss shows a moment later. Until then, the answer is sent as before.
            yield* eventually(
              "an answer with its age",
              Effect.map(at("/api/posts"), ({ headers, status }) => {
                assert.strictEqual(status, 200)
                return headers.get("age") !== null
              })
            )
            for (let i = 0; i < 3; i++) {
              const list = yield* at("/api/posts")
              assert.deepStrictEqual([list.status, list.text], [200, before.list.text], level)
              assert.match(list.headers.get("age") ?? "", /^\d$/)
              assert.match(
                list.headers.get("cache-status") ?? "",
                /^pennypress; hit; ttl=\d+; detail="database unavailable"$/
              )
              assert.strictEqual(list.headers.get("cache-control"), before.list.headers.get("cache-control"))
            }
            const home = yield* at("/", html)
            assert.deepStrictEqual([home.status, home.text], [200, before.home.text])
            const signedIn = yield* at("/", { headers: { accept: "text/html", cookie: "session=x" } })
            assert.deepStrictEqual([signedIn.status, signedIn.text], [200, before.home.text])
            for (const coding of ["identity", "br", "gzip"]) {
              const coded = yield* at("/", { headers: { accept: "text/html", "accept-encoding": coding } })
              assert.strictEqual(coded.text, before.home.text, coding)
              assert.strictEqual(coded.headers.get("content-encoding") ?? "identity", coding)
              assert.isNotNull(coded.headers.get("age"), coding)
            }
            const head = yield* at("/api/posts", { method: "HEAD" })
            assert.deepStrictEqual([head.status, head.text], [200, ""])
            assert.isNotNull(head.headers.get("age"))
            const etag = before.list.headers.get("etag") ?? ""
            const known = yield* at("/api/posts", { headers: { "if-none-match": etag } })
            assert.deepStrictEqual([known.status, known.text, known.headers.get("etag")], [304, "", etag])
            assert.isNotNull(known.headers.get("age"))

            const bearer = { headers: { authorization: `Bearer pp_${"x".repeat(40)}` } }
            for (const answer of [
              yield* at("/api/posts", bearer),
              yield* at("/api/v1/me", bearer),
              yield* at("/desk", {
                headers: { accept: "text/html", cookie: "session=x" },
                redirect: "manual"
              }),
              yield* at("/api/posts?per_page=7"),
              yield* at(`/api/posts/${MISSING}`),
              yield* at(`/api/posts/${MISSING}/access`)
            ]) {
              assert.isNull(answer.headers.get("age"), answer.text)
              assert.notInclude([200, 404], answer.status, answer.text)
            }
            const lines = () =>
              logs.filter(({ message }) => String(message).includes("kept public answers stand in")).length
            yield* eventually(
              "a line of the log",
              Effect.sync(() => lines() > 0)
            )
            assert.strictEqual(lines(), 1)
            assert.deepStrictEqual([yield* ready(""), yield* ready("?for=writes")], [503, 503])
            assert.strictEqual(yield* ready("?for=reads"), 200)
          })
        )
        yield* eventually(
          "fresh answers",
          Effect.map(at("/api/posts"), ({ headers, status }) => status === 200 && headers.get("age") === null)
        )
        assert.deepStrictEqual([yield* ready("?for=reads"), yield* ready("?for=writes")], [200, 200])
        assert.notInclude(JSON.stringify(logs), "A request died")
      }
    })
  )
})
