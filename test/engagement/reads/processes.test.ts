import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Reads } from "../../../src/engagement/reads/Reads.ts"
import { ReadsWorker } from "../../../src/engagement/reads/ReadsWorker.ts"
import { authorOf } from "../../support/actors/author.ts"
import { passing } from "../../support/passing.ts"
import { TestClient } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { NOON, pageOf, statsOf, visit } from "./reading.ts"

const rows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [counts] = yield* sql<{ readonly keys: number; readonly sketches: number }>`
    select (select count(*) from visitor_keys)::integer as keys, (select count(*) from post_visitors)::integer as sketches`
  return counts
})

describe("the reads of two processes", () => {
  it.effect("A visitor of both processes counts once, and all reads count, also in a race of flushes", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const [one, other] = yield* twoAssemblies("test_reads_processes")
      for (const process of [one, other]) yield* Context.get(process, Reads).renewKeys
      const author = yield* Effect.provide(authorOf(1), one)
      const posts = yield* Effect.provide(
        Effect.forEach(["a", "b", "c", "d"], (title) => author.published({ title })),
        one
      )
      for (let round = 0; round < 5; round++) {
        for (const process of [one, other])
          for (const post of round % 2 === 0 ? posts : posts.toReversed())
            for (const from of ["192.0.2.1", process === one ? "192.0.2.2" : "192.0.2.3"])
              yield* Effect.provide(visit(pageOf(author, post), { from }), process)
        yield* Effect.forEach([one, other], (process) => Context.get(process, Reads).flush, {
          concurrency: "unbounded"
        })
      }
      const { data } = yield* Effect.provide(statsOf(author), one)
      assert.deepStrictEqual(
        data.map(({ reads, visitors }) => [reads.people, visitors]),
        posts.map(() => [20, 3])
      )
    }).pipe(Effect.scoped)
  )

  it.effect("The key and the hashes of a day are forgotten when it ends, and its numbers stay", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const [process, other] = yield* twoAssemblies("test_reads_midnight")
      const { flush, renewKeys, sweep } = Context.get(process, Reads)
      yield* renewKeys
      const author = yield* Effect.provide(authorOf(2), process)
      const page = pageOf(author, yield* Effect.provide(author.published(), process))
      const visited = Effect.provide(visit(page), process)
      yield* visited
      yield* flush
      yield* TestClock.setTime(Date.UTC(2026, 10, 29, 23, 58))
      yield* renewKeys
      assert.deepStrictEqual(yield* Effect.provide(rows, process), { keys: 2, sketches: 1 })
      yield* visited
      yield* TestClock.setTime(Date.UTC(2026, 10, 30))
      yield* sweep
      assert.deepStrictEqual(yield* Effect.provide(rows, process), { keys: 1, sketches: 1 })
      yield* visited
      // The other process has the same key, and a late flush adds to the day before.
      yield* Context.get(other, Reads).renewKeys
      yield* Effect.provide(visit(page), other)
      yield* Effect.all([flush, Context.get(other, Reads).flush])
      yield* TestClock.setTime(Date.UTC(2026, 10, 30, 0, 5))
      yield* sweep
      assert.deepStrictEqual(yield* Effect.provide(rows, process), { keys: 1, sketches: 1 })
      const days = (yield* Effect.provide(
        Effect.flatMap(TestClient, ({ send }) =>
          send("GET", `/api/v1/stats/posts?from=2026-11-29&to=2026-11-29`, { token: author.key })
        ),
        process
      )).body
      assert.strictEqual(days.data[0].reads.people, 2)
      assert.strictEqual(days.data[0].visitors, 1)
      const today = (yield* Effect.provide(statsOf(author, "?from=2026-11-30"), process)).data[0]
      assert.deepStrictEqual([today?.reads.people, today?.visitors], [2, 1])
    }).pipe(Effect.scoped)
  )

  it.effect("Processes agree on the key of the day again after a crash of the database lost it", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const [one, other] = yield* twoAssemblies("test_reads_crash")
      const sql = Context.get(one, SqlClient.SqlClient)
      const renewed = (process: typeof one) => Context.get(process, Reads).renewKeys
      yield* renewed(one)
      const keys = sql<{ readonly key: Uint8Array }>`select key from visitor_keys`
      const before = yield* keys
      assert.lengthOf(before, 1)
      // A crash empties the tables that are not logged.
      yield* sql`truncate visitor_keys, post_visitors`
      yield* renewed(one)
      assert.deepStrictEqual(yield* keys, before)

      // The other process starts meanwhile, and is the first to save a key.
      yield* sql`truncate visitor_keys, post_visitors`
      yield* renewed(other)
      yield* renewed(one)
      const author = yield* Effect.provide(authorOf(4), one)
      const page = pageOf(author, yield* Effect.provide(author.published(), one))
      for (const process of [one, other]) {
        yield* Effect.provide(visit(page), process)
        yield* Context.get(process, Reads).flush
      }
      const { data } = yield* Effect.provide(statsOf(author), one)
      assert.deepStrictEqual(
        data.map(({ reads, visitors }) => [reads.people, visitors]),
        [[2, 1]]
      )
    }).pipe(Effect.scoped)
  )

  it.effect(
    "A worker flushes each minute and when it stops, and goes on after a failure without losing a read",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(NOON)
        const [process, other] = yield* twoAssemblies("test_reads_worker")
        const author = yield* Effect.provide(authorOf(3), process)
        const page = pageOf(author, yield* Effect.provide(author.published(), process))
        const scope = yield* Scope.make()
        yield* Layer.buildWithScope(ReadsWorker, scope).pipe(Effect.provide(process))
        const visited = Effect.provide(visit(page), process)
        /** The reads that the database has, which another process reads. */
        const saved = Effect.map(Effect.provide(statsOf(author), other), ({ data }) => data[0]?.reads.people)
        const until = (count: number) =>
          passing(
            60_000,
            `${count} reads`,
            Effect.map(saved, (it) => it === count)
          )
        yield* visited
        assert.strictEqual(yield* saved, 0)
        yield* until(1)

        const sql = Context.get(process, SqlClient.SqlClient)
        yield* visited
        yield* sql`alter table post_reads rename to post_reads_away`
        assert.isTrue(Exit.isFailure(yield* Effect.exit(Context.get(process, Reads).flush)))
        yield* sql`alter table post_reads_away rename to post_reads`
        yield* until(2)

        yield* visited
        yield* Scope.close(scope, Exit.void)
        assert.strictEqual(yield* saved, 3)
      }).pipe(Effect.scoped)
  )
})
