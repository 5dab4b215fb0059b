import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { Follows } from "../../../src/engagement/follows/Follows.ts"
import { Counters } from "../../../src/platform/counters/Counters.ts"
import { DAY_MILLIS } from "../../../src/platform/time/now.ts"
import { errorsOf, refusalOf } from "../../support/actors/author.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { insertOwner, sessionOf } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { refreshDue } from "./refresh.ts"

const read = Effect.fnUntraced(function* (query: string, token?: string) {
  const client = yield* TestClient
  return yield* client.send("GET", `/api/leaderboards?${query}`, token === undefined ? {} : { token })
})

interface Shown {
  readonly body: {
    readonly rows: ReadonlyArray<{
      readonly rank: number
      readonly value: unknown
      readonly profile: { readonly handle: string }
    }>
  }
}
const ranksOf = ({ body }: Shown) =>
  body.rows.map(({ profile, rank, value }) => `${rank} ${profile.handle} ${value}`)

const follow = Effect.fnUntraced(function* (
  creator: OwnerId,
  followers: ReadonlyArray<OwnerId>,
  isOn = true
) {
  const follows = yield* Follows
  for (const follower of followers) yield* follows.save(sessionOf(follower), creator, isOn)
})

/** Refreshes at once every leaderboard, whenever it is due. */
const refreshed = Effect.gen(function* () {
  yield* (yield* Counters).add
  yield* TestClock.adjust("5 minutes")
  assert.strictEqual(yield* refreshDue, 12)
})

/** Lets rankings show an owner. */
const showInRankings = Effect.fnUntraced(function* (owner: OwnerId) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into notification_preferences (owner_id, show_on_creator_leaderboards) values (${owner}, true)`
})

/** Inserts owners who chose to be shown in rankings. */
const insertOwners = (numbers: ReadonlyArray<number>) =>
  Effect.forEach(numbers, (number) => Effect.tap(insertOwner(number), showInRankings))

layer(service(database("test_leaderboards")))("leaderboards (4.5)", (it) => {
  it.effect("Creators rank by followers, with equal ranks for equal values, in a stable order", () =>
    Effect.gen(function* () {
      const [one, two, three, four, ...fans] = yield* insertOwners([1, 2, 3, 4, 11, 12, 13, 14])
      yield* follow(four!, fans)
      yield* follow(three!, fans.slice(0, 2))
      yield* follow(one!, fans.slice(1, 3))
      yield* follow(two!, [fans[0]!])
      assert.deepStrictEqual((yield* read("board=creator_followers")).body.rows, [])
      yield* refreshed
      const shown = yield* read("board=creator_followers")
      assert.deepStrictEqual(ranksOf(shown), ["1 user_4 4", "2 user_1 2", "2 user_3 2", "4 user_2 1"])
      assert.deepStrictEqual(
        { ...shown.body, rows: shown.body.rows.slice(0, 1) },
        {
          board: "creator_followers",
          period: "all",
          rows: [
            {
              rank: 1,
              profile: {
                id: four,
                name: "New User",
                handle: "user_4",
                avatarUrl: null,
                authorKind: "human"
              },
              value: 4
            }
          ],
          total: 4
        }
      )
      // The end of a follow counts down, and an owner without a follower has no row.
      yield* follow(four!, fans.slice(0, 3), false)
      yield* follow(two!, fans, false)
      yield* refreshed
      assert.deepStrictEqual(ranksOf(yield* read("board=creator_followers")), [
        "1 user_1 2",
        "1 user_3 2",
        "3 user_4 1"
      ])
    })
  )

  it.effect("A month has 30 days and a week has 7, to the moment", () =>
    Effect.gen(function* () {
      const [creator, ...fans] = yield* insertOwners([20, 21, 22, 23, 24, 25])
      const valueOf = (period: string) =>
        Effect.map(read(`board=creator_followers&period=${period}`), (answer) =>
          ranksOf(answer).find((it) => it.includes(" user_20 "))
        )
      yield* follow(creator!, [fans[0]!])
      yield* TestClock.adjust(23 * DAY_MILLIS)
      yield* follow(creator!, fans.slice(1, 3))
      yield* TestClock.adjust(7 * DAY_MILLIS - 5 * 60_000)
      yield* refreshed
      assert.include(yield* valueOf("month"), " 3")
      assert.include(yield* valueOf("week"), " 2")
      yield* TestClock.adjust(1)
      yield* follow(creator!, [fans[3]!])
      yield* refreshed
      assert.include(yield* valueOf("all"), " 4")
      assert.include(yield* valueOf("month"), " 3")
      assert.include(yield* valueOf("week"), " 1")
      yield* TestClock.adjust(31 * DAY_MILLIS)
      yield* refreshed
      assert.include(yield* valueOf("all"), " 4")
      for (const period of ["month", "week"])
        assert.deepStrictEqual((yield* read(`board=creator_followers&period=${period}`)).body.rows, [])
    })
  )

  it.effect("A request names a board, a limit of 25 by default and 100 at most, and an offset", () =>
    Effect.gen(function* () {
      const [fan, ...creators] = yield* insertOwners(Array.from({ length: 31 }, (_, n) => 100 + n))
      for (const creator of creators) yield* follow(creator, [fan!])
      yield* refreshed
      const board = "board=creator_followers&period=week"
      const all = (yield* read(`${board}&limit=100`)).body
      assert.strictEqual(all.rows.length, 30)
      assert.strictEqual(all.total, 30)
      const first = (yield* read(board)).body
      assert.deepStrictEqual(first.rows, all.rows.slice(0, 25))
      const part = (yield* read(`${board}&limit=2&offset=27`)).body
      assert.deepStrictEqual(part.rows, all.rows.slice(27, 29))
      for (const offset of [30, 2_147_483_647])
        assert.deepStrictEqual((yield* read(`${board}&offset=${offset}`)).body, {
          board: "creator_followers",
          period: "week",
          rows: [],
          total: 30
        })
      for (const [query, error] of [
        ["", "board required"],
        ["board=", "board invalid"],
        ["board=creators", "board invalid"],
        ["board=supporters&period=day", "period invalid"],
        ["board=supporters&limit=0", "limit out_of_range"],
        ["board=supporters&limit=101", "limit out_of_range"],
        ["board=supporters&offset=-1", "offset out_of_range"],
        ["board=supporters&offset=2147483648", "offset out_of_range"],
        ["board=supporters&offset=1.5", "offset invalid"]
      ] as const) {
        const refused = yield* read(query)
        assert.strictEqual(refused.status, 422, query)
        assert.deepStrictEqual(errorsOf(refused), [error])
      }
    })
  )

  it.effect("A Bearer token adds the owner's my_rank, which is null without a rank", () =>
    Effect.gen(function* () {
      const viewer = yield* readerOf(1)
      const other = yield* readerOf(2)
      const fans = yield* insertOwners([201, 202])
      yield* follow(viewer.id, fans)
      yield* refreshed
      const board = "board=creator_followers&period=week"
      const anonymous = yield* read(board)
      assert.notProperty(anonymous.body, "my_rank")
      assert.strictEqual(
        anonymous.headers.get("cache-control"),
        "public, max-age=15, stale-while-revalidate=15, stale-if-error=300"
      )
      const seen = yield* read(board, viewer.accessToken)
      assert.deepStrictEqual(seen.body.my_rank, { rank: 1, value: 2 })
      assert.strictEqual(seen.headers.get("cache-control"), "private, no-store")
      const beyond = yield* read(`${board}&offset=1000`, viewer.accessToken)
      assert.deepStrictEqual(beyond.body.rows, [])
      assert.deepStrictEqual(beyond.body.my_rank, { rank: 1, value: 2 })
      assert.isNull((yield* read(board, other.accessToken)).body.my_rank)
      assert.deepStrictEqual(refusalOf(yield* read(board, "nonsense")), [401, "unauthorized"])
    })
  )

  it.effect("An owner who opts out leaves the rows at the next refresh, and keeps my_rank", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust(8 * DAY_MILLIS)
      const sql = yield* SqlClient.SqlClient
      const shy = yield* readerOf(3)
      yield* showInRankings(shy.id)
      const [first, last, ...fans] = yield* insertOwners([210, 211, 212, 213, 214])
      yield* follow(first!, fans)
      yield* follow(shy.id, fans.slice(1))
      yield* follow(last!, fans.slice(2))
      yield* refreshed
      const board = "board=creator_followers&period=week"
      const before = ["1 user_210 3", `2 ${shy.handle} 2`, "3 user_211 1"]
      assert.deepStrictEqual(ranksOf(yield* read(board)), before)
      yield* sql`
        update notification_preferences set show_on_creator_leaderboards = false where owner_id = ${shy.id}`
      assert.deepStrictEqual(ranksOf(yield* read(board)), before)
      yield* refreshed
      const { body } = yield* read(board)
      // No gap tells that there is another one.
      assert.deepStrictEqual(ranksOf({ body }), ["1 user_210 3", "2 user_211 1"])
      assert.strictEqual(body.total, 2)
      assert.deepStrictEqual(ranksOf(yield* read(`${board}&limit=1&offset=1`)), ["2 user_211 1"])
      const { accessToken } = yield* readerOf(3)
      assert.deepStrictEqual((yield* read(board, accessToken)).body.my_rank, { rank: 2, value: 2 })
      yield* sql`
        update notification_preferences set show_on_creator_leaderboards = true, show_on_supporter_leaderboard = false
        where owner_id = ${shy.id}`
      yield* refreshed
      assert.deepStrictEqual(ranksOf(yield* read(board)), before)
    })
  )

  it.effect("An owner who never chose is ranked by followers, which are public, and by no payments", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const never = yield* insertOwner(310)
      const other = yield* insertOwner(311)
      const hidden = yield* insertOwner(313)
      const [fan] = yield* insertOwners([312])
      yield* sql`insert into notification_preferences (owner_id, push_notifications) values (${other}, true)`
      yield* sql`
        insert into notification_preferences (owner_id, show_on_creator_leaderboards) values (${hidden}, false)`
      for (const owner of [never, other, hidden]) {
        yield* follow(owner, [fan!])
        yield* sql`
          insert into earnings_daily (owner_id, day, shard, sales, sales_raw, tips, tips_raw)
          values (${owner}, '1970-01-01', 0, 1, 1, 0, 0)`
      }
      yield* refreshed
      const shownOn = Effect.fnUntraced(function* (board: string) {
        const { body } = yield* read(`board=${board}&limit=100`)
        const handles = new Set(body.rows.map(({ profile }: Shown["body"]["rows"][number]) => profile.handle))
        return ["user_310", "user_311", "user_313"].filter((handle) => handles.has(handle))
      })
      assert.deepStrictEqual(yield* shownOn("creator_followers"), ["user_310", "user_311"])
      assert.deepStrictEqual(yield* shownOn("creator_sales"), [])
      assert.deepStrictEqual(yield* shownOn("creator_earnings"), [])
      yield* sql`delete from earnings_daily`
    })
  )

  it.effect("Boards of payments are empty until there are payments", () =>
    Effect.gen(function* () {
      yield* refreshed
      const { accessToken } = yield* readerOf(4)
      for (const board of ["creator_sales", "creator_earnings", "supporters"])
        for (const period of ["all", "month", "week"]) {
          const { body } = yield* read(`board=${board}&period=${period}`, accessToken)
          assert.deepStrictEqual(body, { board, period, rows: [], total: 0, my_rank: null })
        }
    })
  )

  it.effect("A refresh writes only the rows that differ", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* refreshed
      const versions = sql`select leaderboard_id, owner_id, xmin::text from leaderboard_rows order by 1, 2`
      const before = yield* versions
      assert.isNotEmpty(before)
      yield* refreshed
      assert.deepStrictEqual(yield* versions, before)
    })
  )
})
