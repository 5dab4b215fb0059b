import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Follows } from "../../../src/engagement/follows/Follows.ts"
import { Leaderboards } from "../../../src/engagement/leaderboards/Leaderboards.ts"
import { LeaderboardsWorker } from "../../../src/engagement/leaderboards/LeaderboardsWorker.ts"
import { MINUTE_MILLIS, later, now } from "../../../src/platform/time/now.ts"
import { insertOwner, sessionOf } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { passing } from "../../support/passing.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { allChooseRankings, refreshDue } from "./refresh.ts"

const followed = Effect.fnUntraced(function* (follower: number, creator: number) {
  const ids = [yield* insertOwner(follower), yield* insertOwner(creator)] as const
  yield* (yield* Follows).save(sessionOf(ids[0]), ids[1], true)
  yield* allChooseRankings
  return ids
})

const week = Effect.gen(function* () {
  const { body } = yield* (yield* TestClient).send(
    "GET",
    "/api/leaderboards?board=creator_followers&period=week"
  )
  return body.total as number
})

layer(service(database("test_leaderboards_refreshes")))("refreshes of leaderboards", (it) => {
  it.effect("A refresh comes every five minutes", () =>
    Effect.gen(function* () {
      yield* followed(1, 2)
      assert.strictEqual(yield* refreshDue, 12)
      assert.strictEqual(yield* refreshDue, 0)
      yield* followed(3, 4)
      yield* TestClock.adjust(5 * MINUTE_MILLIS - 1)
      assert.strictEqual(yield* refreshDue, 0)
      assert.strictEqual(yield* week, 1)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* refreshDue, 12)
      assert.strictEqual(yield* week, 2)
    })
  )

  it.effect("A refresh that outlives its lease changes nothing", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust(5 * MINUTE_MILLIS)
      const leaderboards = yield* Leaderboards
      const at = yield* now
      const late = yield* leaderboards.claim({ at, leaseUntil: later(at, 1), limit: 100 })
      assert.lengthOf(late, 12)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* refreshDue, 12)
      assert.strictEqual(yield* week, 2)
      yield* followed(5, 6)
      yield* Effect.forEach(late, leaderboards.refresh)
      assert.strictEqual(yield* week, 2)
    })
  )

  it.effect("A removed owner has no row, before and after a refresh", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [, creator] = yield* followed(7, 8)
      yield* TestClock.adjust(5 * MINUTE_MILLIS)
      yield* refreshDue
      const client = yield* TestClient
      const shows = Effect.map(
        client.send("GET", "/api/leaderboards?board=creator_followers&period=month&limit=99"),
        ({ text }) => text.includes(creator)
      )
      assert.isTrue(yield* shows)
      yield* sql`delete from owners where id = ${creator}`
      yield* TestClock.adjust(5 * MINUTE_MILLIS)
      yield* refreshDue
      assert.isFalse(yield* shows)
      assert.isEmpty(yield* sql`select from leaderboard_rows where owner_id = ${creator}`)
    })
  )
})

describe("refreshes of leaderboards by two processes", () => {
  it.effect("Each refresh happens once", () =>
    Effect.gen(function* () {
      const processes = yield* twoAssemblies("test_leaderboards_race")
      const [first] = processes
      const sql = Context.get(first, SqlClient.SqlClient)
      yield* Effect.provide(followed(1, 2), first)
      for (const process of processes) yield* Effect.provide(Layer.build(LeaderboardsWorker), process)
      const refreshes = (count: number) =>
        Effect.map(
          sql<{ readonly attempts: number }>`select attempts from leaderboards`,
          (rows) => rows.length === 12 && rows.every(({ attempts }) => attempts === count)
        )
      const begun = yield* now
      const isDone = (count: number) =>
        Effect.map(
          sql`select from leaderboards where due_at < ${later(begun, count * 5 * MINUTE_MILLIS)}`,
          (rows) => rows.length === 0
        )
      yield* passing(100, "the first refresh", isDone(1))
      assert.isTrue(yield* refreshes(1))
      assert.strictEqual(yield* Effect.provide(week, first), 1)
      yield* TestClock.adjust(5 * MINUTE_MILLIS)
      yield* passing(100, "the second refresh", isDone(2))
      assert.isTrue(yield* refreshes(2))
    })
  )
})
