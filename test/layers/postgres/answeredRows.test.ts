import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { database } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"

/** Returns the function that collects garbage, without the flag of the process. */
const collectorOf = (): (() => void) => {
  setFlagsFromString("--expose-gc")
  return runInNewContext("gc")
}

/** Fewer than the statements that share a connection. */
const ANSWERED = 6

describe("a connection that always owes an answer", () => {
  it.live("A busy connection does not hold the rows that it has answered", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(database("test_answered_rows", { maxConnections: 1 }))
      const sql = Context.get(context, SqlClient.SqlClient)
      const collect = collectorOf()
      yield* sql`select 1`
      const read = Effect.map(sql`select repeat('x', 100000) as text`, ([row]) => new WeakRef(row as object))
      const reads = yield* Effect.forkChild(
        Effect.replicateEffect(read, ANSWERED, { concurrency: "unbounded" }),
        {
          startImmediately: true
        }
      )
      const slow = yield* Effect.forkChild(sql`select pg_sleep(2)`, { startImmediately: true })
      const rows = yield* Fiber.join(reads)
      yield* eventually(
        "collected rows",
        Effect.sync(() => {
          collect()
          return rows.every((row) => row.deref() === undefined)
        })
      )
      assert.isUndefined(slow.pollUnsafe(), "the connection owed an answer until then")
    })
  )

  it.live("A connection that is never idle does not hold the statements that it has answered", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(database("test_answered_statements", { maxConnections: 1 }))
      const sql = Context.get(context, SqlClient.SqlClient)
      const collect = collectorOf()
      // Eight share the connection, so the server always has a next statement when an answer leaves.
      const wait = (length: number) => sql`select length(${"x".repeat(length)}), pg_sleep(0.005)`
      const heap = () => {
        collect()
        // Buffers are freed while the program goes on. The next collection first waits for that.
        collect()
        return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers
      }
      yield* wait(10)
      const before = heap()
      let most = 0
      let at = 0
      const turns = Effect.whileLoop({
        while: () => at < 700,
        body: () => wait(100_000),
        step: () => {
          at += 1
          if (at % 150 === 0) most = Math.max(most, heap() - before)
        }
      })
      yield* Effect.replicateEffect(turns, 8, { concurrency: "unbounded", discard: true })
      assert.isBelow(most, 35 * 1024 * 1024)
    })
  )
})
