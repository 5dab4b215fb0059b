import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Counters, COUNTERS } from "../../../src/platform/counters/Counters.ts"
import { CountersWorker } from "../../../src/platform/counters/CountersWorker.ts"
import { Doorbells } from "../../../src/platform/work/Doorbells.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database, freshDatabase, pool } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"
import { service, TestClient } from "../../support/TestClient.ts"

const append = Effect.fnUntraced(function* (counter: string, subject: string, amount: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into counter_changes (counter, subject_id, amount) values (${counter}, ${subject}, ${amount})`
})

const countsOf = Effect.fnUntraced(function* (id: string) {
  const client = yield* TestClient
  return (yield* client.send("GET", `/api/posts/${id}`)).body.counts
})

layer(service(database("test_counters")))("counters", (it) => {
  it.effect("Changes are added to the rows once, and kept answers that show them end", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const { id } = yield* author.published()
      const client = yield* TestClient
      assert.deepStrictEqual(yield* countsOf(id), { comments: 0, reactions: 0, purchases: 0, tips: 0 })
      const before = yield* client.send("GET", "/api/posts?sort=most_reacted")
      assert.strictEqual(before.body.data[0].counts.reactions, 0)

      yield* append("post_comments", id, 3)
      yield* append("post_comments", id, -1)
      yield* append("post_heart", id, 1)
      yield* append("post_fire", id, 4)
      const counters = yield* Counters
      yield* counters.add
      const expected = { comments: 2, reactions: 5, purchases: 0, tips: 0 }
      assert.deepStrictEqual(yield* countsOf(id), expected)
      yield* counters.add
      assert.deepStrictEqual(yield* countsOf(id), expected)
      const after = yield* client.send("GET", "/api/posts?sort=most_reacted")
      assert.deepStrictEqual(after.body.data[0].counts, expected)
    })
  )

  it.effect("Followers reach the Profile", () =>
    Effect.gen(function* () {
      const { handle } = yield* authorOf(2)
      const client = yield* TestClient
      const summary = client.send("GET", `/api/profile/${handle}/summary`)
      const read = Effect.map(summary, ({ body }) => body.counts)
      assert.deepStrictEqual(yield* read, { posts: 0, followers: 0, following: 0 })
      const { id } = (yield* summary).body
      yield* append("owner_followers", id, 2)
      yield* append("owner_following", id, 1)
      yield* (yield* Counters).add
      assert.deepStrictEqual(yield* read, { posts: 0, followers: 2, following: 1 })
    })
  )

  it.effect("Changes for an unknown counter wait, and those of a removed subject are dropped", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* append("of_tomorrow", "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e", 1)
      yield* append("post_heart", "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e", 1)
      yield* (yield* Counters).add
      assert.deepStrictEqual(yield* sql`select counter from counter_changes`, [{ counter: "of_tomorrow" }])
      yield* sql`delete from counter_changes`
    })
  )

  it.effect("The worker adds a change that a write rang for, and the next ones after half a second", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(3)
      const { id } = yield* author.published()
      yield* Layer.build(CountersWorker)
      const { ringHere } = (yield* Doorbells).bell(COUNTERS)
      const has = (reactions: number) =>
        eventually(
          `${reactions} reactions`,
          Effect.map(countsOf(id), (counts) => counts.reactions === reactions)
        )
      yield* append("post_clap", id, 7)
      yield* ringHere
      yield* has(7)
      yield* append("post_clap", id, 2)
      yield* ringHere
      yield* TestClock.adjust("499 millis")
      assert.strictEqual((yield* countsOf(id)).reactions, 7)
      yield* TestClock.adjust("1 millis")
      yield* has(9)
    })
  )

  it.effect("The worker finds a change that no write rang for", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(4)
      const { id } = yield* author.published()
      yield* Layer.build(CountersWorker)
      yield* append("post_clap", id, 7)
      const clock = yield* TestClock.testClockWith(Effect.succeed)
      yield* eventually(
        "the row has the changes",
        Effect.andThen(
          clock.adjust(1_000),
          Effect.map(countsOf(id), ({ reactions }) => reactions === 7)
        )
      )
    })
  )
})

describe("counters of two processes", () => {
  it.effect("Two processes add every change once", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_counters_race")
      const processes = yield* Effect.forEach([1, 2], (seed) =>
        Layer.build(Layer.fresh(service(pool(url), seed, { isAlone: false })))
      )
      const [first] = processes as [(typeof processes)[0]]
      const { id } = yield* Effect.provide(
        Effect.flatMap(authorOf(1), (author) => author.published()),
        first
      )
      const write = Effect.provide(append("post_heart", id, 1), first)
      const add = Effect.forEach(processes, (it) => Context.get(it, Counters).add, { concurrency: 2 })
      yield* Effect.all(
        Array.from({ length: 200 }, (_, n) => (n % 5 === 0 ? add : write)),
        { concurrency: 20 }
      )
      yield* add
      const sql = Context.get(first, SqlClient.SqlClient)
      assert.deepStrictEqual(yield* sql`select heart from post_counts where post_id = ${id}`, [
        { heart: 160 }
      ])
      assert.isEmpty(yield* sql`select from counter_changes`)
    })
  )
})
