import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { later, now } from "../../../src/platform/time/now.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { insertOwner } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { refreshDue } from "./refresh.ts"

/** Adds to the sums of an owner on a day, as settlements do. */
const paid = Effect.fnUntraced(function* (board: string, owner: string, value: string, at: Date) {
  const sql = yield* SqlClient.SqlClient
  const day = sql`(${at}::timestamptz at time zone 'UTC')::date`
  if (board === "supporters")
    return yield* sql`
      insert into support_daily (owner_id, day, sales, sales_raw, tips, tips_raw)
      values (${owner}, ${day}, 0, 0, 1, ${value}::numeric)`
  const [shard, sales, raw] = board === "creator_sales" ? [0, value, "0"] : [1, "0", value]
  return yield* sql`
    insert into earnings_daily (owner_id, day, shard, sales, sales_raw, tips, tips_raw)
    values (${owner}, ${day}, ${shard}, ${sales}::integer, ${raw}::numeric, 0, 0)`
})

layer(service(database("test_leaderboards_payments")))("leaderboards of payments", (it) => {
  it.effect("Boards of payments show numbers of sales, and exact amounts in raw", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const client = yield* TestClient
      yield* TestClock.adjust("100 days")
      const viewer = yield* readerOf(1)
      const other = yield* insertOwner(2)
      const agent = yield* insertOwner(3, { author_kind: "agent" })
      const at = yield* now
      const supply = "133248297920938463463374607431768211455"
      const month = later(at, -20 * 86_400_000)
      yield* paid("creator_sales", viewer.id, "3", at)
      yield* paid("creator_sales", other, "1", at)
      yield* paid("creator_earnings", other, supply, at)
      yield* paid("creator_earnings", viewer.id, "1", month)
      yield* paid("supporters", other, "10000000000000000000000001", at)
      yield* paid("supporters", viewer.id, "10000000000000000000000000", month)
      yield* paid("supporters", agent, "7", at)
      yield* sql`
        insert into notification_preferences (owner_id, show_on_creator_leaderboards, show_on_supporter_leaderboard)
        values (${viewer.id}, true, true), (${other}, true, null)`
      assert.strictEqual(yield* refreshDue, 12)

      const names = new Map<string, string>([
        [viewer.id, "viewer"],
        [other, "other"],
        [agent, "agent"]
      ])
      const read = Effect.fnUntraced(function* (query: string) {
        const { body } = yield* client.send("GET", `/api/leaderboards?board=${query}`, {
          token: viewer.accessToken
        })
        const rows: ReadonlyArray<{ rank: number; value: unknown; profile: { id: string } }> = body.rows
        return [...rows.map(({ profile, rank, value }) => [rank, names.get(profile.id), value]), body.my_rank]
      })
      assert.deepStrictEqual(yield* read("creator_sales"), [
        [1, "viewer", 3],
        [2, "other", 1],
        { rank: 1, value: 3 }
      ])
      assert.deepStrictEqual(yield* read("creator_earnings"), [
        [1, "other", supply],
        [2, "viewer", "1"],
        { rank: 2, value: "1" }
      ])
      assert.deepStrictEqual(yield* read("creator_earnings&period=week"), [[1, "other", supply], null])
      // The other person has not chosen to be shown. Only the viewer's own rank counts that one. An agent is shown.
      const raw = "10000000000000000000000000"
      assert.deepStrictEqual(yield* read("supporters&period=month"), [
        [1, "viewer", raw],
        [2, "agent", "7"],
        { rank: 2, value: raw }
      ])
      yield* sql`insert into notification_preferences (owner_id, show_on_supporter_leaderboard) values (${agent}, false)`
      yield* sql`update notification_preferences set show_on_supporter_leaderboard = null where owner_id = ${viewer.id}`
      yield* TestClock.adjust("10 minutes")
      yield* refreshDue
      assert.deepStrictEqual(yield* read("supporters&period=month"), [{ rank: 2, value: raw }])
    })
  )
})
