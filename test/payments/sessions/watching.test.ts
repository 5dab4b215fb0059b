import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { onRealClock } from "../../../layers/time/realClock.ts"
import { publicKeyOfAddress } from "../../../schemas/platform/Nano.ts"
import { paymentSessionStatements } from "../../../src/payments/sessions/paymentSessions.sql.ts"
import { Watching } from "../../../src/payments/sessions/Watching.ts"
import { WatchingWorker } from "../../../src/payments/sessions/WatchingWorker.ts"
import { Settlements } from "../../../src/payments/settlement/Settlements.ts"
import { later, now } from "../../../src/platform/time/now.ts"
import { database } from "../../support/Database.ts"
import { planNodes, rowsRead, wholeTables } from "../../support/plans.ts"
import { service } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { begin, lookAfter, lookNow, lookSoon, sale } from "./sessionWorld.ts"

/** Claims every address that is due. */
const claimDue = Effect.gen(function* () {
  const { claim } = yield* Watching
  const at = yield* now
  return yield* claim({ at, leaseUntil: later(at, 60_000), limit: 1_000 })
})

/** The number of purchases of a Post. */
const purchases = Effect.fnUntraced(function* (postId: string) {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`select from purchases where post_id = ${postId}`).length
})

layer(service(database("test_sessions_worker")))("the worker of sessions", (it) => {
  it.effect("The worker settles what the ledger reports, without a look", () =>
    Effect.gen(function* () {
      const memory = yield* NanoLedgerMemory
      const { buy, payer } = yield* sale
      const session = yield* buy
      const sql = yield* SqlClient.SqlClient
      // No look is due in this test.
      yield* sql`update watched_accounts set due_at = due_at + interval '1 day'`
      yield* Layer.build(WatchingWorker)
      yield* memory.confirmAfter("never")
      const { hash } = yield* payer.pay(session.payTo, session.amount)
      yield* memory.confirmAfter(0)
      yield* memory.tell(3)
      // The keys are read while the worker starts.
      yield* Effect.gen(function* () {
        yield* memory.confirm(hash)
        yield* onRealClock(Effect.sleep("20 millis"))
        return (yield* session.now).state
      }).pipe(Effect.repeat({ until: (state) => state === "paid", times: 500 }))
      assert.strictEqual((yield* session.now).state, "paid")
      assert.strictEqual(yield* memory.calls("incoming"), 0)
      yield* sql`update watched_accounts set due_at = due_at - interval '1 day'`
    })
  )
})

layer(service(database("test_sessions_watching")))("looks at watched addresses", (it) => {
  it.effect("One look serves all sessions of an address, and asks for no more than it needs", () =>
    Effect.gen(function* () {
      const memory = yield* NanoLedgerMemory
      const { buy, payer } = yield* sale
      const sessions = yield* Effect.all([buy, buy, buy])
      yield* payer.pay(sessions[1]!.payTo, sessions[1]!.amount)
      const [incoming, blocks] = [yield* memory.calls("incoming"), yield* memory.calls("block")]
      assert.strictEqual(yield* lookSoon, 1)
      assert.strictEqual((yield* memory.calls("incoming")) - incoming, 1)
      assert.strictEqual((yield* memory.calls("block")) - blocks, 1)
      const states = yield* Effect.forEach(sessions, ({ now: seen }) =>
        Effect.map(seen, ({ state }) => state)
      )
      assert.deepStrictEqual(states, ["open", "paid", "open"])
      // A settled block is not read again.
      yield* lookAfter("2 seconds")
      assert.strictEqual((yield* memory.calls("block")) - blocks, 1)
    })
  )

  it.effect("A session that opens during a look is looked at in time", () =>
    Effect.gen(function* () {
      const { buy, payer, author } = yield* sale
      yield* buy
      yield* TestClock.adjust("20 minutes")
      const { look } = yield* Watching
      const [due] = yield* claimDue
      assert.isDefined(due)
      const session = yield* buy
      yield* look(due)
      yield* payer.pay(author.wallet.account, session.amount)
      assert.strictEqual(yield* lookSoon, 1)
      assert.strictEqual((yield* session.now).state, "paid")
    })
  )

  it.effect("A watch ends with the last session, unless one opens meanwhile", () =>
    Effect.gen(function* () {
      const { author, buy } = yield* sale
      const { keys } = yield* Watching
      const isWatched = Effect.map(keys, (all) => all.includes(publicKeyOfAddress(author.wallet.account)))
      const first = yield* buy
      yield* lookAfter("25 hours")
      yield* TestClock.adjust("5 minutes")
      const [due] = yield* claimDue
      assert.isUndefined(due, "the watch ended with the first look after its time")
      assert.isFalse(yield* isWatched)
      assert.strictEqual((yield* first.now).state, "closed")
      yield* buy
      yield* TestClock.adjust("25 hours")
      const [again] = yield* claimDue
      const next = yield* buy
      yield* (yield* Watching).look(again!)
      assert.isTrue(yield* isWatched)
      assert.strictEqual((yield* next.now).state, "open")
    })
  )

  it.effect("Claims and reads of watched addresses use indexes", () =>
    Effect.gen(function* () {
      yield* begin
      const { author, buy } = yield* sale
      yield* buy
      const sql = yield* SqlClient.SqlClient
      const at = yield* now
      yield* sql`
        insert into watched_accounts (id, key, active_until, due_at)
        select gen_random_uuid(), sha256(n::text::bytea), ${at}, ${at} from generate_series(1, 20000) n`
      yield* sql`
        insert into payment_sessions (id, kind, recipient_id, key_hash, intent, token_hash, pay_to_key, base_raw, amount_raw,
          created_at, expires_at, late_until)
        select gen_random_uuid(), 'tip', recipient_id, sha256(n::text::bytea), '', token_hash, sha256((n % 2000)::text::bytea),
          base_raw, base_raw + n, created_at, expires_at, late_until
        from generate_series(1, 20000) n, (select * from payment_sessions limit 1) s`
      yield* sql`vacuum analyze watched_accounts`.unprepared
      yield* sql`vacuum analyze payment_sessions`.unprepared
      const { claim } = yield* Watching
      const claiming = yield* planNodes(
        "force_custom_plan",
        claim({ at: later(at, 1), leaseUntil: at, limit: 2 })
      )
      assert.notInclude(wholeTables(claiming), "watched_accounts")
      assert.isBelow(rowsRead(claiming, "watched_accounts"), 20)
      const repo = yield* paymentSessionStatements
      const session = yield* buy
      const live = yield* planNodes(
        "force_generic_plan",
        repo.live(publicKeyOfAddress(author.wallet.account))
      )
      assert.notInclude(wholeTables(live), "payment_sessions")
      assert.isBelow(rowsRead(live, "payment_sessions"), 20)
      assert.strictEqual((yield* session.now).state, "open")
      yield* sql`delete from watched_accounts where active_until = ${at}`
    })
  )
})

describe("two processes", () => {
  it.effect("Two processes settle a payment once, even when one dies between the ledger and the commit", () =>
    Effect.gen(function* () {
      const [one, other] = yield* twoAssemblies("test_sessions_two")
      const inOne = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideContext(effect, one)
      const inOther = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideContext(effect, other)
      const world = yield* inOne(sale)
      const { payer, postId } = world
      const sessions = yield* inOne(Effect.replicateEffect(world.buy, 20))
      for (const { amount, payTo } of sessions) yield* inOne(payer.pay(payTo, amount))
      yield* TestClock.adjust("2 seconds")

      // A process that dies with the claim.
      const [due] = yield* inOne(claimDue)
      assert.isDefined(due)
      // Another one that dies inside the transaction.
      const dying = Settlements.of({
        ...Context.get(one, Settlements),
        settleConfirmed: (payment) =>
          Effect.andThen(
            Effect.provideContext(Context.get(one, Settlements).settleConfirmed(payment), one),
            Effect.die(new Error("killed"))
          )
      })
      const dead = yield* inOne(
        Effect.flatMap(
          Layer.build(Layer.fresh(Watching.layer).pipe(Layer.provide(Layer.succeed(Settlements, dying)))),
          (context) => Effect.exit(Context.get(context, Watching).look(due))
        )
      )
      assert.isTrue(Exit.isFailure(dead))
      assert.strictEqual(yield* inOne(purchases(postId)), 0)

      // Its lease ends; both look at once, and the dead one comes to life.
      yield* TestClock.adjust("1 minute")
      const looking = [
        inOne(lookNow),
        inOther(lookNow),
        inOne(Effect.flatMap(Watching, ({ look }) => look(due)))
      ]
      const fibers = yield* Effect.forEach(looking, (look) => Effect.forkChild(look))
      yield* Effect.forEach(fibers, (fiber) => Fiber.join<unknown, never>(fiber))
      assert.strictEqual(yield* inOne(purchases(postId)), 20)
      const sql = Context.get(one, SqlClient.SqlClient)
      assert.deepStrictEqual(
        yield* sql`
          select state, count(*)::int4 as sessions, count(distinct block_hash)::int4 as blocks,
            sum(cardinality(duplicates))::int4 as duplicates
          from payment_sessions group by state`,
        [{ state: "paid", sessions: 20, blocks: 20, duplicates: 0 }]
      )
    })
  )
})
