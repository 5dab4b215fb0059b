import { assert, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { Finances } from "../../../src/payments/finance/Finances.ts"
import { sessionOf } from "../../support/actors/storedOwner.ts"
import {
  BUSY_DAYS,
  BUSY_POSTS,
  BUSY_SALES,
  BUSY_UNTIL,
  busyAuthor,
  seedPostsOfAuthor
} from "../../support/busyAuthor.ts"
import { database } from "../../support/Database.ts"
import { planNodes, rowsRead, wholeTables } from "../../support/plans.ts"
import { soak } from "../../support/soak.ts"
import { service } from "../../support/TestClient.ts"

const PAYMENTS = soak(20_000, 100_000)
/** Small enough that no statement meets its deadline on a slow machine. */
const PART = 10_000

const owner = OwnerId.make("00000000-0000-4000-8000-000000000000")
const post = PostId.make("00000000-0000-4000-8000-000000000001")
const other = PostId.make("00000000-0000-4000-8000-000000000002")

/** Payments to one author, one a minute. Each tenth is for another Post, and each hundredth is a sale. */
const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into owners (id, kind, name, handle, payout_address, created_at)
    values (${owner}, 'guest', 'Busy', 'busy',
      'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3', timestamptz 'epoch')`
  for (const id of [post, other]) {
    yield* sql`
      insert into posts (id, owner_id, status, title, description, enable_paywall, slug, language, comments_enabled,
        creation_attested, created_at, updated_at)
      values (${id}, ${owner}, 'draft', 'Post', '', false, ${id}, 'en', true, true, timestamptz 'epoch', timestamptz 'epoch')`
  }
  const part = Effect.fnUntraced(function* (from: number) {
    // Without triggers: no counter is read here.
    yield* sql`set local session_replication_role = replica`
    yield* sql`
      with paid as (
        insert into settlements (id, kind, channel, state, post_id, recipient_id, block_hash, previous, payer_key,
          pay_to_key, pay_to_role, payout_revision, amount_raw, base_raw, created_at, settled_at)
        select gen_random_uuid(), case when n % 100 = 0 then 'purchase' else 'tip' end, 'claim', 'settled',
          case when n % 10 = 0 then ${other}::uuid else ${post}::uuid end, ${owner}::uuid, sha256(int4send(n)),
          sha256(int4send(-n - 1)), sha256('payer'), sha256('payee'), 'author', 1, 1e24, 1e24, at, at
        from generate_series(${from}::integer, ${from + PART - 1}::integer) n,
          lateral (select timestamptz 'epoch' + n * interval '1 minute' as at) t
        returning id, settled_at)
      insert into allocations (id, settlement_id, role, owner_id, amount_raw, address, payout_revision, state, created_at)
      select gen_random_uuid(), id, 'author', ${owner}::uuid, 1e24,
        'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3', 1, 'settled', settled_at from paid`
  })
  for (let from = 0; from < PAYMENTS; from += PART) yield* sql.withTransaction(part(from))
  yield* sql`
    insert into earnings_daily (owner_id, day, shard, tips, tips_raw)
    select ${owner}::uuid, date '1970-01-01' + day, shard, 1, 1e24 from generate_series(0, 999) day, generate_series(0, 15) shard`
  for (const table of ["settlements", "allocations", "earnings_daily", "owners", "posts"]) {
    yield* sql`analyze ${sql(table)}`.unprepared
  }
})

layer(service(database("test_finance_plans")))(`${PAYMENTS} payments to one author`, (it) => {
  it.effect(
    "Lists, sums and exports of any depth read only the rows that they need, by an index",
    () =>
      Effect.gen(function* () {
        yield* seed
        const finances = yield* Finances
        const me = sessionOf(owner)
        const page = finances.tips(me, { limit: 100, to: "1970-01-11" })
        const { data, pagination } = yield* page
        assert.lengthOf(data, 100)
        const deep = { limit: 100, to: "1970-01-11", cursor: pagination.nextCursor! }
        const large = ["settlements", "allocations", "earnings_daily"]
        for (const mode of ["force_generic_plan", "force_custom_plan"] as const) {
          const reads: ReadonlyArray<readonly [Effect.Effect<unknown, unknown>, number]> = [
            [finances.tips(me, { limit: 100 }), 101],
            [finances.tips(me, deep), 101],
            [finances.tips(me, { limit: 100, postId: other }), 101],
            [finances.sales(me, { limit: 100 }), 101],
            [finances.sales(me, { limit: 100, postId: other }), 101],
            [finances.sales(me, { limit: 100, postId: post }), 0]
          ]
          for (const [read, rows] of reads) {
            const nodes = yield* planNodes(mode, read)
            for (const table of large) assert.notInclude(wholeTables(nodes), table, mode)
            assert.strictEqual(rowsRead(nodes, "settlements"), rows, mode)
            assert.isAtMost(rowsRead(nodes, "allocations"), 101, mode)
          }
          const summed = yield* planNodes(
            mode,
            finances.summary(me, { from: "1970-01-05", to: "1970-01-06" })
          )
          assert.strictEqual(rowsRead(summed, "earnings_daily"), 16, mode)
          assert.strictEqual(rowsRead(summed, "settlements"), 0, mode)
          assert.strictEqual(rowsRead(summed, "allocations"), 0, mode)
        }
        const exported = finances.exported(me, { kind: "all", to: "1970-01-03" })
        const lines = yield* Stream.runCollect(exported)
        assert.lengthOf(lines, 1 + 2 * 24 * 60)
        assert.lengthOf(new Set(lines), lines.length)
      }),
    120_000
  )
})

/** A month of the year of the busy author, as days. */
const MONTH = { from: "2026-10-02", to: BUSY_UNTIL }
const inMonth = Math.ceil((BUSY_SALES * 30) / BUSY_DAYS)

/** Payments to others, among which those of one author are few. */
const others = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`set local session_replication_role = replica`
      yield* sql`
        insert into settlements (id, kind, channel, state, recipient_id, block_hash, previous, payer_key, pay_to_key,
          pay_to_role, payout_revision, amount_raw, base_raw, created_at, settled_at)
        select gen_random_uuid(), 'tip', 'claim', 'settled', gen_random_uuid(), sha256(convert_to('other' || n, 'UTF8')),
          sha256(convert_to('before' || n, 'UTF8')), sha256('payer'), sha256('payee'), 'author', 1, 1e24, 1e24, at, at
        from generate_series(1, 20000) n, lateral (select timestamptz '2026-10-10Z' as at) t`
    })
  )
  yield* sql`vacuum analyze settlements`.unprepared
})

layer(service(database("test_earning_plans")))(`${BUSY_SALES} payments for 1,000 Posts`, (it) => {
  it.effect(
    "Earnings by day read the sums of days, and those by Post only the payments of the period",
    () =>
      Effect.gen(function* () {
        yield* seedPostsOfAuthor(BUSY_POSTS)
        yield* others
        const finances = yield* Finances
        const me = sessionOf(busyAuthor)
        const { data, pagination } = yield* finances.byPost(me, { ...MONTH, limit: 20 })
        assert.lengthOf(data, 20)
        const next = { ...MONTH, limit: 20, cursor: pagination.nextCursor! }
        for (const mode of ["force_generic_plan", "force_custom_plan"] as const) {
          const days = yield* planNodes(mode, finances.byDay(me, { ...MONTH, limit: 366 }))
          assert.isAtMost(rowsRead(days, "earnings_daily"), 30 * 16, mode)
          // A limit ends the walk over the days.
          const newest = yield* planNodes(mode, finances.byDay(me, { limit: 7 }))
          assert.isAtMost(rowsRead(newest, "earnings_daily"), 9 * 16, mode)
          for (const nodes of [days, newest]) {
            assert.deepStrictEqual(wholeTables(nodes), [], mode)
            assert.strictEqual(rowsRead(nodes, "settlements"), 0, mode)
          }
          for (const query of [{ ...MONTH, limit: 20 }, next]) {
            const nodes = yield* planNodes(mode, finances.byPost(me, query))
            assert.deepStrictEqual(wholeTables(nodes), [], mode)
            assert.isAtMost(rowsRead(nodes, "settlements"), inMonth, mode)
            assert.isAtMost(rowsRead(nodes, "posts"), 21, mode)
          }
        }
      }),
    120_000
  )
})
