import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { TestClock } from "effect/testing"
import { makeClient } from "../../../layers/postgres/client.ts"
import { unavailableDependency } from "../../../src/platform/sql/unavailable.ts"
import { refusingServer } from "./refusingServer.ts"

const DEADLINE_MILLIS = 5_000

/** A pool of one connection, whose server does not answer, and owes the answer to a statement whose caller left. */
const abandoned = Effect.gen(function* () {
  const received = Deferred.makeUnsafe<void>()
  const { url } = yield* refusingServer((statement) => {
    if (statement === "connect") return "done"
    Deferred.doneUnsafe(received, Effect.void)
    return "silence"
  })
  const options = { url, prepare: false, maxConnections: 1, sharing: 8, deadlineMillis: DEADLINE_MILLIS }
  const sql = yield* makeClient(options, options)
  const left = yield* Effect.forkChild(sql`select 1`, { startImmediately: true })
  yield* Deferred.await(received)
  yield* Fiber.interrupt(left)
  return sql
})

describe("a statement without an answer whose caller left", () => {
  it.effect("A transaction that waits for its connection fails after the deadline", () =>
    Effect.gen(function* () {
      const sql = yield* abandoned
      const transaction = yield* Effect.forkChild(sql.withTransaction(sql`select 2`), {
        startImmediately: true
      })
      yield* TestClock.adjust(2 * DEADLINE_MILLIS)
      assert.strictEqual(unavailableDependency(yield* Effect.flip(Fiber.join(transaction))), "database")
    }).pipe(Effect.provide(Reactivity.layer))
  )

  it.effect("An interruption of such a transaction, as by a stop, ends after the deadline", () =>
    Effect.gen(function* () {
      const sql = yield* abandoned
      const transaction = yield* Effect.forkChild(sql.withTransaction(sql`select 2`), {
        startImmediately: true
      })
      const interruption = yield* Effect.forkChild(Fiber.interrupt(transaction), { startImmediately: true })
      yield* TestClock.adjust(2 * DEADLINE_MILLIS)
      yield* Fiber.join(interruption)
    }).pipe(Effect.provide(Reactivity.layer))
  )

  it.effect("A stream that waits for its connection fails after the deadline", () =>
    Effect.gen(function* () {
      const sql = yield* abandoned
      const rows = yield* Effect.forkChild(Stream.runCollect(sql`select 2`.stream), {
        startImmediately: true
      })
      yield* TestClock.adjust(2 * DEADLINE_MILLIS)
      assert.strictEqual(unavailableDependency(yield* Effect.flip(Fiber.join(rows))), "database")
    }).pipe(Effect.provide(Reactivity.layer))
  )
})
