import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { Reactions } from "../../../src/engagement/reactions/Reactions.ts"
import { Counters } from "../../../src/platform/counters/Counters.ts"
import { insertOwner, insertPost, ownerId, postId, sessionOf } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { Logs } from "../http/Logs.ts"

/** Sweeps once. Returns each difference that the log tells of. */
const swept = Effect.gen(function* () {
  yield* (yield* Counters).sweep
  return (yield* Logs)
    .filter(({ level }) => level === "Warn")
    .map(({ annotations: { amount, counter, subject } }) => [counter, subject, amount])
}).pipe(Effect.provide(Logs.layer))

const hearts = (id: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`select thumbs_up, heart from post_counts where post_id = ${id}`
  )

const emptied = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.all([sql`delete from owners`, sql`delete from counter_changes`, sql`delete from counter_audits`])
)

layer(service(database("test_counters_audit")))("the sweep of counters", (it) => {
  it.effect("The sweep finds a difference and repairs it, even while changes wait", () =>
    Effect.gen(function* () {
      yield* emptied
      const sql = yield* SqlClient.SqlClient
      const counters = yield* Counters
      const id = yield* insertPost(1, yield* insertOwner(1), "published")
      for (const number of [2, 3]) {
        const reader = sessionOf(yield* insertOwner(number))
        yield* (yield* Reactions).set(reader, { kind: "post", id }, "heart")
        if (number === 2) yield* counters.add
      }
      assert.deepStrictEqual(yield* swept, [])

      yield* sql`update post_counts set heart = 7, thumbs_up = -1 where post_id = ${id}`
      const found = yield* swept
      assert.sameDeepMembers(found, [
        ["post_heart", id, -6],
        ["post_thumbs_up", id, 1]
      ])
      const measured = (yield* Metric.snapshot).flatMap((metric) =>
        metric.id === "counter_differences_total" ? [[metric.attributes?.["counter"], metric.state]] : []
      )
      assert.sameDeepMembers(measured, [
        ["post_heart", { count: 1, incremental: true }],
        ["post_thumbs_up", { count: 1, incremental: true }]
      ])
      // The repair is a change that waits, and is found no second time.
      assert.deepStrictEqual(yield* swept, [])
      yield* counters.add
      assert.deepStrictEqual(yield* hearts(id), [{ thumbs_up: 0, heart: 2 }])
      assert.deepStrictEqual(yield* swept, [])
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )

  it.effect("The sweep walks over all subjects in parts, and begins again", () =>
    Effect.gen(function* () {
      yield* emptied
      const sql = yield* SqlClient.SqlClient
      for (let number = 1; number <= 4; number++) yield* insertOwner(number)
      yield* sql`
        insert into owners (id, kind, name, handle, created_at)
        select ('00000000-0000-4000-8000-' || lpad((1000 + n)::text, 12, '0'))::uuid, 'guest', 'Guest', 'guest_' || n, 'epoch'
        from generate_series(1, 1100) n`
      yield* sql`update owners set follower_count = 5 where handle in ('user_1', 'guest_1100')`
      const first = [["owner_followers", ownerId(1), -5]]
      const last = [["owner_followers", ownerId(2100), -5]]
      assert.deepStrictEqual([yield* swept, yield* swept, yield* swept], [first, [], last])
      yield* sql`update owners set following_count = 1 where handle = 'user_1'`
      assert.deepStrictEqual(yield* swept, [["owner_following", ownerId(1), -1]])
    })
  )

  it.effect("The sweep compares fewer subjects when they have many rows", () =>
    Effect.gen(function* () {
      yield* emptied
      const sql = yield* SqlClient.SqlClient
      const author = yield* insertOwner(1)
      for (let number = 1; number <= 4; number++) yield* insertPost(number, author, "published")
      yield* sql`update post_counts set fire = 60000`
      const fewer = (number: number) => ["post_fire", postId(number), -60_000]
      assert.deepStrictEqual(
        [yield* swept, yield* swept, yield* swept],
        [[fewer(1), fewer(2)], [fewer(3), fewer(4)], []]
      )
    })
  )
})

describe("the sweep of counters during writes", () => {
  it.effect("The sweep finds no false difference while two processes write, add and sweep", () =>
    Effect.gen(function* () {
      const processes = yield* twoAssemblies("test_counters_audit_race")
      const [first] = processes
      const posts = yield* Effect.gen(function* () {
        const author = yield* insertOwner(1)
        for (let number = 10; number < 20; number++) yield* insertOwner(number)
        return yield* Effect.forEach([1, 2], (number) => insertPost(number, author, "published"))
      }).pipe(Effect.provide(first))
      const values = ["heart", "fire", "clap", null] as const
      const differences = yield* Effect.forEach(
        Array.from({ length: 600 }, (_, turn) => turn),
        (turn) => {
          const process = processes[turn % 2]!
          if (turn % 12 === 0) return Effect.provide(swept, process)
          if (turn % 7 === 0) return Effect.as(Context.get(process, Counters).add, [])
          const target = { kind: "post", id: posts[turn % 3 === 0 ? 0 : 1]! } as const
          const reader = sessionOf(ownerId(10 + ((turn * 7) % 10)))
          return Effect.as(Context.get(process, Reactions).set(reader, target, values[(turn * 5) % 4]!), [])
        },
        { concurrency: 16 }
      )
      assert.deepStrictEqual(differences.flat(), [])
      yield* Context.get(first, Counters).add
      const sql = Context.get(first, SqlClient.SqlClient)
      const wrong = yield* sql`
        select * from post_counts n
        join lateral (
          select count(*) filter (where reaction = 'heart') as heart, count(*) filter (where reaction = 'fire') as fire,
            count(*) filter (where reaction = 'clap') as clap
          from reactions where target_id = n.post_id) r on (n.heart, n.fire, n.clap) <> (r.heart, r.fire, r.clap)`
      assert.isEmpty(wrong)
      assert.isNotEmpty(yield* sql`select from reactions`)
    })
  )
})
