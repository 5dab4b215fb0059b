import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { operations } from "../operations/document.ts"
import { codeIn } from "../operations/outbox.ts"
import { plainClient } from "../operations/plainClient.ts"
import { eventually } from "../support/eventually.ts"
import { ownPostgres } from "./ownPostgres.ts"
import { type PreparedRequest, preparedRequests } from "./preparedRequests.ts"
import { started } from "./server.ts"
import { get } from "./sockets.ts"

/** A statement takes five seconds at most, and so does a connection: the rest is for the machine. */
const ANSWERED_WITHIN_MILLIS = 6_000

/** Tables that every operation needs one of. */
const NEEDED = [
  "wallet_challenges",
  "email_codes",
  "idempotency_records",
  "refresh_tokens",
  "sessions",
  "api_keys"
]

/** Keeps those tables to itself, while `use` runs, which is told whether somebody waits for one. */
const holding = <A, E, R>(url: string, use: (isAwaited: Effect.Effect<boolean>) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const holder = yield* PgClient.make({ url: Redacted.make(url), maxConnections: 1 })
    const observer = yield* PgClient.make({ url: Redacted.make(url), maxConnections: 1 })
    const connection = yield* holder.reserve
    yield* connection.executeUnprepared("begin", [], undefined)
    yield* connection.executeUnprepared(`lock ${NEEDED.join(", ")} in access exclusive mode`, [], undefined)
    const waiting = observer`select from pg_stat_activity where wait_event_type = 'Lock'`
    return yield* use(
      waiting.pipe(
        Effect.map((rows) => rows.length > 2),
        Effect.orDie
      )
    )
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

const familyOf = (id: string) =>
  operations.find(({ operationId }) => operationId === id)?.responses["503"]?.content ?? {}

describe("while PostgreSQL is stopped", { timeout: 60_000 }, () => {
  it.live("requests of every operation are 503, and succeed unchanged once it is back", () =>
    Effect.gen(function* () {
      const postgres = yield* ownPostgres
      const { dataDirectory, logs, origin } = yield* started(
        "",
        {},
        // One mail more to a mailbox than its login takes; what was refused with 503 must use up none.
        { DATABASE_URL: postgres.url, RATE_LIMIT_FACTOR: "2" }
      )
      const { send, sendWrong } = plainClient(origin)

      /** Sends it, and is told by when it is no success. */
      const unavailable = Effect.fnUntraced(function* ({ id, request }: PreparedRequest) {
        const began = performance.now()
        const { body, headers, status } = yield* sendWrong(id, request)
        assert.strictEqual(status, 503, `${id}: ${JSON.stringify(body)}`)
        assert.isBelow(performance.now() - began, ANSWERED_WITHIN_MILLIS, id)
        assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/, id)
        const [type = ""] = (headers.get("content-type") ?? "").split(";")
        assert.hasAllKeys(familyOf(id), [type])
      })
      const everyUnavailable = (prepared: ReadonlyArray<PreparedRequest>) =>
        Effect.forEach(prepared, unavailable, { concurrency: "unbounded", discard: true })
      const health = Effect.all([get(`${origin}/health/live`), get(`${origin}/health/ready`)])
      const statuses = Effect.map(health, (answers) => answers.map(({ status }) => status))

      for (const [round, signal] of (["SIGINT", "SIGQUIT"] as const).entries()) {
        const { loginEmail, mailTo, prepared } = yield* preparedRequests(origin, dataDirectory, round)
        yield* holding(postgres.url, (isAwaited) =>
          Effect.gen(function* () {
            const inFlight = yield* Effect.forkChild(everyUnavailable(prepared))
            yield* eventually("requests that wait for the database", isAwaited)
            yield* postgres.stop(signal)
            yield* Fiber.join(inFlight)
          })
        )
        assert.deepStrictEqual(yield* statuses, [200, 503])
        yield* everyUnavailable(prepared)

        yield* postgres.start
        yield* Effect.forEach(prepared, ({ id, request, status }) => send(id, status, request), {
          concurrency: "unbounded",
          discard: true
        })
        assert.deepStrictEqual(yield* statuses, [200, 200])
        // Mail leaves again, too, without help.
        const login = { email: loginEmail, code: codeIn(yield* mailTo(loginEmail)) }
        yield* send("sessionsVerify", 200, { body: login })
      }
      assert.notInclude(JSON.stringify(logs), "A request died")
    })
  )
})
