import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { accountOperations } from "../operations/document.ts"
import { codeIn } from "../operations/outbox.ts"
import { plainClient } from "../operations/plainClient.ts"
import { eventually } from "../support/eventually.ts"
import { ownPostgres } from "./ownPostgres.ts"
import { type PreparedRequest, preparedRequests } from "./preparedRequests.ts"
import { started } from "./server.ts"
import { get } from "./sockets.ts"

/** A statement takes five seconds at most, and so does a connection; a busy machine may take the rest. */
const ANSWERED_WITHIN_MILLIS = 20_000

/** Tables that every operation needs one of. */
const NEEDED = [
  "wallet_challenges",
  "email_codes",
  "idempotency_records",
  "refresh_tokens",
  "sessions",
  "api_keys"
]

/** Runs statements as the superuser, one after the other, on a connection of their own. */
const asSuperuser = (url: string, ...statements: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.make({ url: Redacted.make(url), maxConnections: 1 })
    const connection = yield* sql.reserve
    let rows: ReadonlyArray<unknown> = []
    for (const statement of statements) rows = yield* connection.executeUnprepared(statement, [], undefined)
    return rows
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.orDie)

/**
 * Locks those tables against all other transactions. A prepared transaction keeps its locks when the server stops.
 * Waiting requests thus cannot slip through while other connections end. Roll it back once the server is back.
 */
const hold = (url: string) =>
  asSuperuser(
    url,
    "begin",
    `lock ${NEEDED.join(", ")} in access exclusive mode`,
    "prepare transaction 'held'"
  )

const release = (url: string) => asSuperuser(url, "rollback prepared 'held'")

const isAwaited = (url: string) =>
  Effect.map(
    asSuperuser(url, "select from pg_stat_activity where wait_event_type = 'Lock'"),
    (rows) => rows.length > 2
  )

const familyOf = (id: string) =>
  accountOperations.find(({ operationId }) => operationId === id)?.responses["503"]?.content ?? {}

describe("a stopped PostgreSQL", () => {
  it.live("Requests of every operation are 503, and succeed unchanged once it is back", () =>
    Effect.gen(function* () {
      const postgres = yield* ownPostgres
      const { dataDirectory, logs, origin } = yield* started(
        "",
        {},
        // Allows one mail more than a login takes, so that requests refused with 503 must use up none.
        { DATABASE_URL: postgres.url, RATE_LIMIT_FACTOR: "2" }
      )
      const { send, sendWrong } = plainClient(origin)

      /** Sends a request, and checks that its answer is 503 in time. */
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
        assert.sameMembers(
          [...new Set(prepared.map(({ id }) => id)), "sessionsKeySet"],
          accountOperations.map(({ operationId }) => operationId)
        )
        yield* hold(postgres.url)
        const inFlight = yield* Effect.forkChild(everyUnavailable(prepared))
        yield* eventually("requests that wait for the database", isAwaited(postgres.url))
        yield* postgres.stop(signal)
        yield* Fiber.join(inFlight)
        assert.deepStrictEqual(yield* statuses, [200, 503])
        yield* everyUnavailable(prepared)

        yield* postgres.start
        yield* release(postgres.url)
        yield* Effect.forEach(prepared, ({ id, request, status }) => send(id, status, request), {
          concurrency: "unbounded",
          discard: true
        })
        assert.deepStrictEqual(yield* statuses, [200, 200])
        // Mail leaves again, too, without help.
        const login = { email: loginEmail, code: codeIn(yield* mailTo(loginEmail)) }
        yield* send("sessionsVerify", 200, { body: login })
      }
      assert.notInclude(JSON.stringify(logs), "A request crashed")
    })
  )
})
