import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { onRealClock } from "../../../layers/time/realClock.ts"
import { Readiness } from "../../../src/platform/ports/Readiness.ts"
import { now } from "../../../src/platform/time/now.ts"
import { refusalOf } from "../../support/actors/author.ts"
import { inTime } from "../../support/actors/buyer.ts"
import { database } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"
import { service } from "../../support/TestClient.ts"
import { lookAfter, lookNow, sale } from "./sessionWorld.ts"

let isStopping = false
const stoppable = Layer.effect(
  Readiness,
  Effect.map(Readiness, (readiness) =>
    Readiness.of({ ...readiness, isStopping: Effect.sync(() => isStopping) })
  )
)
const stopping = service(database("test_sessions_stopping"), 1, {
  changePorts: (unchanged) => Layer.provideMerge(stoppable, unchanged)
})

layer(stopping)("waiting while the process stops", (it) => {
  it.effect("A waiting request of a process that stops ends with what is known", () =>
    Effect.gen(function* () {
      const session = yield* (yield* sale).buy
      const sql = yield* SqlClient.SqlClient
      const waiting = yield* Effect.forkChild(session.send("GET", "?wait=20"))
      const noted = sql`select from payment_sessions where id = ${session.sessionId} and waited_until is not null`
      yield* eventually(
        "waits",
        Effect.map(noted, (rows) => rows.length === 1)
      )
      isStopping = true
      const answer = yield* inTime(Fiber.join(waiting), 10)
      assert.deepStrictEqual([answer.status, answer.body.state], [200, "open"])
      assert.isAbove(answer.body.retryAfterSeconds, 0)
      assert.isBelow((yield* now).getTime(), Date.parse(session.createdAt) + 20_000)
    })
  )
})

layer(service(database("test_sessions_waiting")))("waiting for a change", (it) => {
  it.effect("A waiting request ends with the change, or with its seconds", () =>
    Effect.gen(function* () {
      const { buy, payer } = yield* sale
      const session = yield* buy
      const sql = yield* SqlClient.SqlClient
      const waiting = (seconds: number) => Effect.forkChild(session.send("GET", `?wait=${seconds}`))
      /** Lets the statements of a waiting request end before the clock goes on. */
      const step = Effect.gen(function* () {
        yield* eventually(
          "idle",
          Effect.map(
            sql<{ readonly busy: number }>`
            select count(*)::int4 as busy from pg_stat_activity
            where datname = current_database() and state = 'active' and pid <> pg_backend_pid()`,
            ([row]) => row?.busy === 0
          )
        )
        yield* TestClock.adjust("1 second")
      })
      const quiet = yield* waiting(3)
      for (let second = 0; second < 5; second++) yield* step
      assert.strictEqual((yield* Fiber.join(quiet)).body.state, "open")

      const paid = yield* waiting(20)
      yield* step
      yield* payer.pay(session.payTo, session.amount)
      yield* step
      yield* lookNow
      for (let second = 0; second < 3; second++) yield* step
      assert.strictEqual((yield* Fiber.join(paid)).body.state, "paid")
      // No more change is expected.
      assert.strictEqual((yield* session.send("GET", "?wait=20")).body.state, "paid")
    })
  )

  it.effect("Waiting requests cause one look at the ledger a second, in any number", () =>
    Effect.gen(function* () {
      const { buy, payer } = yield* sale
      const session = yield* buy
      // A session of this age is looked at every ten seconds.
      for (let minute = 0; minute < 5; minute++) yield* lookAfter("1 minute")
      const sql = yield* SqlClient.SqlClient
      const isLooked = Effect.gen(function* () {
        yield* lookNow
        const looked = yield* sql`
          select from watched_accounts w join payment_sessions s on s.pay_to_key = w.key
          where s.id = ${session.sessionId} and w.due_at > ${yield* now} and w.looked_at = ${yield* now}`
        return looked.length === 1
      })
      /** Looks at what is due until the requests, which come over the wire, made the address due. */
      const look = Effect.gen(function* () {
        for (let tries = 1; !(yield* isLooked); tries++) {
          yield* Effect.sleep("20 millis").pipe(onRealClock)
          // A request that was not asleep when the clock went on waits for its next second.
          if (tries % 50 === 0) yield* TestClock.adjust("1 second")
        }
      })
      const waits = Array.from({ length: 5 }, () => session.send("GET", "?wait=20"))
      const waiting = yield* Effect.forkChild(Effect.all(waits, { concurrency: "unbounded" }))
      for (let second = 0; second < 3; second++) {
        yield* look
        yield* TestClock.adjust("1 second")
      }
      yield* payer.pay(session.payTo, session.amount)
      yield* look
      const answers = yield* inTime(Fiber.join(waiting))
      assert.deepStrictEqual([...new Set(answers.map(({ body }) => body.state))], ["paid"])
    })
  )

  it.effect("A wait has 0 to 20 whole seconds", () =>
    Effect.gen(function* () {
      const session = yield* (yield* sale).buy
      for (const [wait, code] of [
        ["-1", "out_of_range"],
        ["21", "out_of_range"],
        ["1.5", "invalid"],
        ["x", "invalid"]
      ])
        assert.deepStrictEqual(refusalOf(yield* session.send("GET", `?wait=${wait}`)), [
          422,
          "validation",
          `wait ${code}`
        ])
      assert.strictEqual((yield* session.send("GET", "?wait=0")).status, 200)
    })
  )
})
