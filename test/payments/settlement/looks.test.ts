import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { Settlements } from "../../../src/payments/settlement/Settlements.ts"
import { later, now } from "../../../src/platform/time/now.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { database } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"
import { service } from "../../support/TestClient.ts"
import { claimOf, ended, run, sellerOf } from "./paying.ts"

/** A claim whose request has waited in vain. The ledger reports no confirmation. */
const pending = Effect.fnUntraced(function* (number: number) {
  const settlements = yield* Settlements
  const ledger = yield* NanoLedgerMemory
  yield* ledger.tell(0)
  const seller = yield* sellerOf(number)
  const payer = yield* payerOf(1000 + number)
  yield* payer.fund()
  const claim = yield* claimOf(payer, seller)
  const { id } = yield* settlements.claim(claim)
  assert.strictEqual((yield* run(settlements.carryThrough(id))).state, "settling")
  return { claim, id, payer, settlements }
})

/** Takes one step of the workers: claims what is due, and looks. Returns the number of looks. */
const workNow = Effect.gen(function* () {
  const { claimDue, resume } = yield* Settlements
  const at = yield* now
  const due = yield* claimDue({ at, leaseUntil: later(at, 15_000), limit: 10 })
  yield* Effect.forEach(due, resume, { discard: true })
  return due.length
})

const stateOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly state: string; readonly due_at: Date | null }>`
    select state, due_at from settlements where id = ${id}`
  return row ?? { state: "missing", due_at: null }
})

/** Waits until a settlement is due, while no time passes. */
const isDue = Effect.fnUntraced(function* (id: string) {
  const context = yield* Effect.context<SqlClient.SqlClient>()
  const due = Effect.gen(function* () {
    const { due_at } = yield* stateOf(id)
    return due_at !== null && due_at <= (yield* now)
  })
  yield* eventually("the settlement is due", Effect.provide(due, context))
})

layer(service(database("test_settlement_looks")))("looks at the ledger", (it) => {
  it.effect("A look comes immediately for a waiting request, and once a second for many", () =>
    Effect.gen(function* () {
      const ledger = yield* NanoLedgerMemory
      yield* ledger.confirmAfter("never")
      const { claim, id, settlements } = yield* pending(1)
      for (let seconds = 0; seconds < 120; seconds += 10) {
        yield* TestClock.adjust("10 seconds")
        yield* workNow
      }
      const { due_at: quietUntil } = yield* stateOf(id)
      assert.isAbove(quietUntil?.getTime() ?? 0, (yield* now).getTime() + 10_000)

      const waits = Array.from({ length: 20 }, () => settlements.awaitEnd(id))
      const waiting = yield* Effect.forkChild(Effect.all(waits, { concurrency: "unbounded" }))
      for (let second = 0; second < 3; second++) {
        yield* isDue(id)
        assert.strictEqual(yield* workNow, 1)
        assert.strictEqual(yield* workNow, 0)
        // A request that read the row after half a second reads it again one second later.
        yield* TestClock.adjust("1500 millis")
      }
      yield* ledger.confirm(claim.block.hash)
      yield* isDue(id)
      assert.strictEqual(yield* workNow, 1)
      const states = (yield* ended(waiting)).map(({ state }) => state)
      assert.deepStrictEqual([...new Set(states)], ["settled"])
      yield* ledger.confirmAfter(0)
    })
  )

  it.effect("A look of a request does not come while a worker looks", () =>
    Effect.gen(function* () {
      const ledger = yield* NanoLedgerMemory
      yield* ledger.confirmAfter("never")
      const { id, settlements } = yield* pending(2)
      const at = yield* now
      yield* settlements.claimDue({ at, leaseUntil: later(at, 15_000), limit: 10 })
      const leased = yield* stateOf(id)
      yield* TestClock.adjust("2 seconds")
      yield* run(settlements.awaitEnd(id))
      assert.deepStrictEqual(yield* stateOf(id), leased)
      yield* ledger.confirmAfter(0)
    })
  )

  it.effect("A look does not end a payment that lapsed before the ledger refused it", () =>
    Effect.gen(function* () {
      const ledger = yield* NanoLedgerMemory
      const sql = yield* SqlClient.SqlClient
      yield* ledger.setAway(true)
      const { id, payer } = yield* pending(4)
      yield* sql`update settlements set created_at = created_at - interval '8 days' where id = ${id}`
      yield* TestClock.adjust("1 minute")
      yield* workNow
      assert.strictEqual((yield* stateOf(id)).state, "lapsed")
      yield* ledger.setAway(false)
      // The network has another block in its place.
      yield* payer.pay(payer.account, 1n)
      yield* TestClock.adjust("25 hours")
      yield* workNow
      assert.deepStrictEqual(yield* stateOf(id), { state: "lapsed", due_at: later(yield* now, 86_400_000) })
    })
  )

  it.effect("A payment that the ledger takes late is looked at as often as a new one", () =>
    Effect.gen(function* () {
      const ledger = yield* NanoLedgerMemory
      yield* ledger.confirmAfter("never")
      yield* ledger.setAway(true)
      const { claim, id } = yield* pending(3)
      for (let minutes = 0; minutes < 20; minutes++) {
        yield* TestClock.adjust("1 minute")
        yield* workNow
      }
      yield* ledger.setAway(false)
      const { due_at } = yield* stateOf(id)
      yield* TestClock.adjust((due_at ?? new Date(0)).getTime() - (yield* now).getTime())
      yield* workNow
      assert.strictEqual((yield* ledger.published).at(-1)?.signature, claim.block.block.signature)
      yield* ledger.confirm(claim.block.hash)
      yield* TestClock.adjust("1 second")
      yield* workNow
      assert.strictEqual((yield* stateOf(id)).state, "settled")
      yield* ledger.confirmAfter(0)
    })
  )

  it.effect("A holder that waits keeps its lease, and one that dies has it for five seconds", () =>
    Effect.gen(function* () {
      const settlements = yield* Settlements
      const ledger = yield* NanoLedgerMemory
      yield* ledger.confirmAfter("never")
      const seller = yield* sellerOf(5)
      const claimed = Effect.fnUntraced(function* (number: number) {
        const payer = yield* payerOf(number)
        yield* payer.fund()
        return yield* settlements.claim(yield* claimOf(payer, seller))
      })
      const { id } = yield* claimed(2005)
      const waiting = yield* Effect.forkChild(settlements.carryThrough(id))
      const context = yield* Effect.context<SqlClient.SqlClient>()
      for (let second = 2; second <= 8; second += 2) {
        yield* TestClock.adjust("2 seconds")
        const at = yield* now
        const isKept = Effect.map(stateOf(id), ({ due_at }) => due_at !== null && due_at > later(at, 2_500))
        yield* eventually("the lease is prolonged", Effect.provide(isKept, context))
      }
      assert.strictEqual(yield* workNow, 0)
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual((yield* ended(waiting)).state, "settling")

      // This process would have died between its claim and the ledger.
      const orphan = yield* claimed(2006)
      yield* TestClock.adjust("5 seconds")
      yield* workNow
      assert.strictEqual((yield* ledger.published).length > 0, true)
      assert.isNotNull((yield* stateOf(orphan.id)).due_at)
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly sent_at: Date | null }>`
        select sent_at from settlements where id = ${orphan.id}`
      assert.isNotNull(row?.sent_at)
      yield* ledger.confirmAfter(0)
    })
  )
})
