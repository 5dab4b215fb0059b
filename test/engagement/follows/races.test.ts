import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { FollowLists } from "../../../src/engagement/follows/FollowLists.ts"
import { Follows } from "../../../src/engagement/follows/Follows.ts"
import { Counters } from "../../../src/platform/counters/Counters.ts"
import { insertOwner, sessionOf } from "../../support/actors/storedOwner.ts"
import { freshDatabase } from "../../support/Database.ts"
import { processOver } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 1)

/** Follows a creator, or stops, through the `at`th process. */
const saving =
  (processes: Effect.Success<ReturnType<typeof twoAssemblies>>) =>
  (at: number, follower: OwnerId, creator: OwnerId, following: boolean) =>
    Context.get(processes[at % 2]!, Follows).save(sessionOf(follower), creator, following)

describe("follows in two processes", () => {
  it.effect("Many follows and ends leave one row for each pair, and exact counts", () =>
    Effect.gen(function* () {
      const processes = yield* twoAssemblies("test_follows_storm")
      const [first] = processes
      const sql = Context.get(first, SqlClient.SqlClient)
      const save = saving(processes)
      const creator = yield* Effect.provide(insertOwner(100), first)
      const followers = yield* Effect.provide(
        Effect.forEach(numbers(10), (n) => insertOwner(n)),
        first
      )
      yield* Effect.forEach(numbers(200), (n) => save(n, followers[n % 10]!, creator, n % 3 !== 0), {
        concurrency: 20
      })
      const rows = yield* sql<{ readonly follower_id: OwnerId; readonly is_following: boolean }>`
        select follower_id, ended_at is null as is_following from follows where creator_id = ${creator}`
      assert.sameMembers(
        rows.map(({ follower_id }) => follower_id),
        followers
      )
      const following = rows.filter(({ is_following }) => is_following)
      for (const process of processes) {
        const counts = yield* Context.get(process, FollowLists).counts(creator, null)
        assert.strictEqual(counts.followers, following.length)
      }
      yield* Effect.forEach(processes, (process) => Context.get(process, Counters).add, { concurrency: 2 })
      assert.deepStrictEqual(yield* sql`select follower_count from owners where id = ${creator}`, [
        { follower_count: following.length }
      ])
      assert.isEmpty(yield* sql`select from counter_changes`)
    })
  )

  it.effect("Fifty identical follows by one owner make one, and notify the creator once", () =>
    Effect.gen(function* () {
      const processes = yield* twoAssemblies("test_follows_identical")
      const [first] = processes
      const sql = Context.get(first, SqlClient.SqlClient)
      const [follower, creator] = yield* Effect.provide(Effect.all([insertOwner(1), insertOwner(2)]), first)
      const save = saving(processes)
      const answers = yield* Effect.forEach(numbers(50), (n) => save(n, follower, creator, true), {
        concurrency: 50
      })
      assert.lengthOf(new Set(answers.map(({ follow }) => follow?.id)), 1)
      assert.isTrue(answers.every(({ following }) => following))
      const counts = yield* Context.get(first, FollowLists).counts(creator, follower)
      assert.deepStrictEqual(counts, { followers: 1, following: 0, viewerFollows: true })
      assert.lengthOf(yield* sql`select from notifications where recipient_id = ${creator}`, 1)
      const ends = yield* Effect.forEach(numbers(20), (n) => save(n, follower, creator, false), {
        concurrency: 20
      })
      assert.isTrue(ends.every(({ following }) => !following))
      assert.strictEqual((yield* Context.get(first, FollowLists).counts(creator, null)).followers, 0)
    })
  )
})

describe("followers of one creator", () => {
  it.effect("Followers and counters do not wait for a follow that is not committed", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_follows_locks")
      const service = yield* processOver(url, 1)
      const sql = Context.get(service, SqlClient.SqlClient)
      const { creator, followers, holding } = yield* Effect.provide(
        Effect.gen(function* () {
          return {
            creator: yield* insertOwner(100),
            holding: yield* insertOwner(99),
            followers: yield* Effect.forEach(numbers(32), (n) => insertOwner(n))
          }
        }),
        service
      )
      const holder = yield* PgClient.make({ url, maxConnections: 1 })
      const connection = yield* holder.reserve
      const run = (statement: string) => Effect.asVoid(connection.executeUnprepared(statement, [], undefined))
      yield* run("begin")
      yield* run(`insert into follows (id, follower_id, creator_id, created_at)
        values (gen_random_uuid(), '${holding}', '${creator}', timestamptz 'epoch')`)

      // A statement that waited would meet its deadline, and end the test.
      const follow = (follower: OwnerId, following: boolean) =>
        Context.get(service, Follows).save(sessionOf(follower), creator, following)
      yield* Effect.forEach(followers, (follower) => follow(follower, true), { concurrency: 32 })
      yield* Context.get(service, Counters).add
      assert.deepStrictEqual(yield* sql`select follower_count from owners where id = ${creator}`, [
        { follower_count: 32 }
      ])
      yield* follow(followers[0]!, false)
      const holds = sql`
        select from pg_locks where relation = 'follows'::regclass and mode = 'RowExclusiveLock' and granted
          and database = (select oid from pg_database where datname = current_database())`
      assert.lengthOf(yield* holds, 1)
      yield* run("commit")
      assert.strictEqual((yield* Context.get(service, FollowLists).counts(creator, null)).followers, 32)
    }).pipe(Effect.provide(Reactivity.layer))
  )

  it.effect("A follow does not wait for the counters, and does not lock the counters' row", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_follows_counting")
      const service = yield* processOver(url, 1)
      const [follower, creator] = yield* Effect.provide(Effect.all([insertOwner(1), insertOwner(2)]), service)
      const holder = yield* PgClient.make({ url, maxConnections: 1 })
      const connection = yield* holder.reserve
      const run = (statement: string) => Effect.asVoid(connection.executeUnprepared(statement, [], undefined))
      yield* run("begin")
      yield* run(
        `update owners set follower_count = follower_count where id in ('${follower}', '${creator}')`
      )
      const { following } = yield* Context.get(service, Follows).save(sessionOf(follower), creator, true)
      assert.isTrue(following)
      yield* run("rollback")
    }).pipe(Effect.provide(Reactivity.layer))
  )
})
