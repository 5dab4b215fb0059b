import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../../layers/postgres/Database.ts"
import { unavailableDependency } from "../../../src/platform/sql/unavailable.ts"
import { database, freshDatabase } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"
import { soak } from "../../support/soak.ts"
import { silentProxy } from "./silentProxy.ts"

const DEADLINE_MILLIS = 1_500
/** Time for a busy machine. A statement without a deadline would never end. */
const AT_MOST_MILLIS = DEADLINE_MILLIS + 20_000

/** A pool of two connections over a fresh database of this name, through a proxy that can fall silent. */
const silenceable = Effect.fnUntraced(function* (name: string, deadlineMillis = DEADLINE_MILLIS) {
  const proxy = yield* silentProxy(yield* freshDatabase(name))
  const context = yield* Layer.build(
    Database.layer({
      url: proxy.url,
      maxConnections: 2,
      deadlineMillis,
      statementTimeoutMillis: 1_000
    })
  )
  return { ...proxy, sql: Context.get(context, SqlClient.SqlClient) }
}, Effect.orDie)

/** Returns the duration of an effect and its exit. */
const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const began = performance.now()
    const exit = yield* Effect.exit(effect)
    return { exit, millis: performance.now() - began }
  })

/** The failure that the families answer with 503. */
const assertUnavailable = ({
  exit,
  millis
}: {
  readonly exit: Exit.Exit<unknown, unknown>
  readonly millis: number
}) => {
  assert.isBelow(millis, AT_MOST_MILLIS)
  if (Exit.isSuccess(exit)) return assert.fail("a statement without an answer succeeded")
  assert.strictEqual(unavailableDependency(Cause.squash(exit.cause)), "database", Cause.pretty(exit.cause))
}

describe("a database that falls silent", () => {
  it.live("A silent database costs each statement its deadline, and the pool recovers by itself", () =>
    Effect.gen(function* () {
      const { forward, silence, silenced, sql } = yield* silenceable("test_silence_recovers")
      const select = sql`select 1 as one`
      const transaction = sql.withTransaction(Effect.andThen(select, select))
      for (let outage = 1; outage <= soak(1, 3); outage++) {
        yield* Effect.replicateEffect(select, 20, { concurrency: "unbounded", discard: true })
        yield* silence
        // Far more than two connections take; the rest wait for a connection.
        const waiting = Array.from({ length: 60 }, (_, i) => timed(i % 3 === 0 ? transaction : select))
        const ends = yield* Effect.all(waiting, { concurrency: "unbounded" })
        ends.forEach(assertUnavailable)
        assert.isAtLeast(silenced(), 2 * outage)
        assertUnavailable(yield* timed(select))
        yield* forward
        yield* eventually(
          "an answer",
          Effect.orElseSucceed(Effect.as(select, true), () => false)
        )
        const answers = yield* Effect.replicateEffect(transaction, 20, { concurrency: "unbounded" })
        assert.deepStrictEqual(
          answers,
          Array.from({ length: 20 }, () => [{ one: 1 }])
        )
      }
    })
  )

  it.live("Silence in a transaction ends the transaction, and frees its connection", () =>
    Effect.gen(function* () {
      const { forward, silence, sql } = yield* silenceable("test_silence_transaction")
      yield* sql`create table chores (id int)`
      const cut = timed(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`insert into chores values (1)`
            yield* silence
            yield* sql`insert into chores values (2)`
          })
        )
      )
      for (const end of yield* Effect.all([cut, cut, cut], { concurrency: "unbounded" }))
        assertUnavailable(end)
      yield* forward
      yield* eventually(
        "an answer",
        Effect.orElseSucceed(Effect.as(sql`select 1`, true), () => false)
      )
      assert.deepStrictEqual(yield* sql`select from chores`, [])
    })
  )
})

describe("a slow statement", () => {
  it.live("A slow statement fails alone, and the others of its connection get their answers", () =>
    Effect.gen(function* () {
      const { sql } = yield* silenceable("test_silence_slow", 60_000)
      const slow = yield* Effect.forkChild(timed(sql`select pg_sleep(60)`), { startImmediately: true })
      const fast = yield* Effect.replicateEffect(Effect.exit(sql`select 1 as one`), 12, {
        concurrency: "unbounded"
      })
      for (const exit of fast) assert.deepStrictEqual(exit, Exit.succeed([{ one: 1 }]))
      assertUnavailable(yield* Fiber.join(slow))
    })
  )
})

describe("a message that the driver does not take", () => {
  it.live("The largest message exceeds every message that the service stores", () =>
    Effect.sync(() => assert.isAbove(Database.MESSAGE_BYTES_MAX, 16 * 4 * 1024 * 1024))
  )

  it.live("A message of 40 MB passes, together with others on the same connection", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(database("test_message_large", { maxConnections: 1 }))
      const sql = Context.get(context, SqlClient.SqlClient)
      const large = sql<{ readonly text: string }>`select repeat('x', 40000000) as text`
      const [[row]] = yield* Effect.all([large, sql`select 1`, sql`select 2`], { concurrency: "unbounded" })
      assert.strictEqual(row?.text.length, 40_000_000)
    })
  )
})
