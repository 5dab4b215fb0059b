import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { Settlements } from "../../../src/payments/settlement/Settlements.ts"
import { SettlementWorker } from "../../../src/payments/settlement/SettlementWorker.ts"
import { blockHash } from "../../../src/platform/nano/blocks.ts"
import { later, now } from "../../../src/platform/time/now.ts"
import { payerOf, signedBlock } from "../../support/actors/payer.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { database } from "../../support/Database.ts"
import { passing } from "../../support/passing.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { claimOf, claimWith, ended, PRICE_RAW, run, sellerOf } from "./paying.ts"

/** A claim of a fresh wallet on a Post of a seller of its own. */
const claimed = Effect.fnUntraced(function* (number: number, buyerId: OwnerId | null = null) {
  const settlements = yield* Settlements
  const seller = yield* sellerOf(number)
  const payer = yield* payerOf(1000 + number)
  yield* payer.fund()
  const claim = yield* claimOf(payer, { ...seller, buyerId, receipt: `receipt ${number}` })
  const { id } = yield* settlements.claim(claim)
  return { seller, payer, claim, id, carried: run(settlements.carryThrough(id)) }
})

/** Takes over what is due as a worker does, until the settlement has this state. */
const workUntil = Effect.fnUntraced(function* (id: string, state: string) {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.scoped(
    Effect.gen(function* () {
      yield* Layer.build(Layer.fresh(SettlementWorker))
      yield* passing(
        500,
        `the settlement is ${state}`,
        Effect.map(
          sql`select from settlements where id = ${id} and state = ${state}`,
          (rows) => rows.length === 1
        )
      )
    })
  )
})

const purchasesOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`select from purchases where settlement_id = ${id}`).length
})

/** Waits until a settlement has bought something, while no time passes. */
const bought = (id: string) =>
  Effect.flatMap(Effect.context<SqlClient.SqlClient>(), (context) =>
    passing(
      0,
      "a purchase",
      Effect.map(Effect.provide(purchasesOf(id), context), (count) => count === 1)
    )
  )

layer(service(database("test_settlement_faults")))("a payment under way", (it) => {
  it.effect("A worker publishes and settles the block of a process that died after the claim", () =>
    Effect.gen(function* () {
      const ledger = yield* NanoLedgerMemory
      const { claim, id } = yield* claimed(1)
      const before = (yield* ledger.published).length
      yield* workUntil(id, "settled")
      assert.strictEqual((yield* ledger.published).length, before + 1)
      assert.strictEqual((yield* ledger.published).at(-1)?.previous, claim.block.previous)
      assert.strictEqual(yield* purchasesOf(id), 1)
    })
  )

  it.effect("A worker finds the block of a process that died after publishing, and publishes nothing", () =>
    Effect.gen(function* () {
      const ledger = yield* NanoLedgerMemory
      const { claim, id } = yield* claimed(2)
      yield* ledger.book.process(claim.block.block)
      const before = (yield* ledger.published).length
      yield* workUntil(id, "settled")
      assert.strictEqual((yield* ledger.published).length, before)
    })
  )

  for (const [number, fault] of [
    [3, "lost request"],
    [4, "lost answer"],
    [5, "slow"],
    [6, "too many requests"],
    [7, "error answer"],
    [8, "out of sync"]
  ] as const)
    it.effect(`A payment settles once, although the node answers with: ${fault}`, () =>
      Effect.gen(function* () {
        const ledger = yield* NanoLedgerMemory
        const { carried, id } = yield* claimed(number)
        yield* ledger.faultNext("publish", fault)
        yield* ledger.faultNext("block", fault)
        assert.strictEqual((yield* carried).state, "settled")
        assert.strictEqual(yield* purchasesOf(id), 1)
      })
    )

  it.effect("A request without a node ends undecided after 10 seconds, and a worker settles it later", () =>
    Effect.gen(function* () {
      const ledger = yield* NanoLedgerMemory
      const { carried, id } = yield* claimed(9)
      yield* ledger.setAway(true)
      const begun = yield* now
      const undecided = yield* carried
      assert.strictEqual(undecided.state, "settling")
      assert.isAtLeast((yield* now).getTime() - begun.getTime(), 10_000)
      yield* ledger.setAway(false)
      yield* workUntil(id, "settled")
    })
  )

  it.effect("A request that loses its client gives its lease back immediately", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ledger = yield* NanoLedgerMemory
      const settlements = yield* Settlements
      yield* ledger.confirmAfter("never")
      const { claim, id } = yield* claimed(10)
      const before = (yield* ledger.published).length
      const fiber = yield* Effect.forkChild(settlements.carryThrough(id))
      yield* passing(
        0,
        "it is published",
        Effect.map(ledger.published, (all) => all.length > before)
      )
      yield* Fiber.interrupt(fiber)
      const [row] = yield* sql<{ due_at: Date }>`select due_at from settlements where id = ${id}`
      assert.isTrue(row !== undefined && row.due_at <= (yield* now))
      yield* ledger.confirmAfter(0)
      yield* ledger.confirm(claim.block.hash)
      yield* workUntil(id, "settled")
    })
  )

  it.effect("A payment settles with the confirmation that the ledger reports, before the next look", () =>
    Effect.gen(function* () {
      const ledger = yield* NanoLedgerMemory
      const settlements = yield* Settlements
      yield* ledger.confirmAfter("never")
      const { claim, id } = yield* claimed(11)
      const looks = yield* ledger.calls("block")
      const carried = yield* Effect.forkChild(settlements.carryThrough(id))
      const others = yield* Effect.forkChild(settlements.awaitEnd(id))
      yield* passing(
        100,
        "a look",
        Effect.map(ledger.calls("block"), (calls) => calls > looks)
      )
      const begun = yield* now
      yield* ledger.confirm(claim.block.hash)
      yield* bought(id)
      assert.strictEqual((yield* now).getTime(), begun.getTime())
      assert.strictEqual((yield* ended(carried)).state, "settled")
      assert.strictEqual((yield* ended(others)).state, "settled")
      yield* ledger.confirmAfter(0)
    })
  )

  it.effect("A fork waits while its competitor is unconfirmed, and is refused once it is confirmed", () =>
    Effect.gen(function* () {
      const ledger = yield* NanoLedgerMemory
      const settlements = yield* Settlements
      const sql = yield* SqlClient.SqlClient
      const { carried, claim, id, payer, seller } = yield* claimed(12)
      yield* ledger.confirmAfter("never")
      const rival = yield* ledger.book.process(yield* payer.send(payer.account, 1n))
      assert.strictEqual((yield* carried).state, "settling")
      // The rival has followers, as its wallet goes on.
      yield* payer.pay(seller.payTo, 5n)
      yield* ledger.confirm(rival.hash)
      yield* ledger.confirmAfter(0)
      yield* workUntil(id, "refused")
      assert.deepStrictEqual(yield* sql`select code, due_at from settlements where id = ${id}`, [
        { code: "fork", due_at: null }
      ])
      assert.strictEqual(yield* purchasesOf(id), 0)
      // Quote, wallet and Post are free again.
      assert.isTrue((yield* settlements.ofQuote(seller.target, claim.quoteHash))._tag === "None")
      const newest = yield* payer.head
      assert.isDefined(newest)
      if (newest !== undefined) yield* ledger.confirm(newest.hash)
      const next = yield* claimOf(payer, seller)
      const again = yield* settlements.claim({ ...next, quoteHash: claim.quoteHash })
      assert.strictEqual((yield* run(settlements.carryThrough(again.id))).state, "settled")
    })
  )

  it.effect("A payment whose block wins the election settles", () =>
    Effect.gen(function* () {
      const ledger = yield* NanoLedgerMemory
      const { carried, claim, id, payer } = yield* claimed(13)
      yield* ledger.confirmAfter("never")
      yield* ledger.book.process(yield* payer.send(payer.account, 1n))
      assert.strictEqual((yield* carried).state, "settling")
      yield* ledger.confirmAfter(0)
      yield* ledger.elect(claim.block.block)
      yield* workUntil(id, "settled")
    })
  )

  it.effect("A gap is tried again until the node has caught up", () =>
    Effect.gen(function* () {
      const ledger = yield* NanoLedgerMemory
      const settlements = yield* Settlements
      const seller = yield* sellerOf(14)
      const payer = yield* payerOf(1014)
      yield* payer.fund()
      const missing = yield* payer.send(seller.payTo, 7n)
      // The block after one that the ledger lacks.
      const block = yield* payer.next((balance) => ({
        balance: balance - 7n - PRICE_RAW,
        link: missing.link
      }))
      const orphan = signedBlock(payer.wallet, { ...block, previous: blockHash(missing) })
      const { id } = yield* settlements.claim(claimWith(orphan, seller))
      assert.strictEqual((yield* run(settlements.carryThrough(id))).state, "settling")
      yield* ledger.book.process(missing)
      yield* workUntil(id, "settled")
    })
  )

  it.effect("A lapsed payment settles when it is confirmed later, and its buyer is notified each time", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const client = yield* TestClient
      const ledger = yield* NanoLedgerMemory
      const settlements = yield* Settlements
      const buyer = yield* readerOf(2015)
      yield* ledger.confirmAfter("never")
      const { carried, claim, id, seller } = yield* claimed(15, buyer.id)
      assert.strictEqual((yield* carried).state, "settling")
      yield* sql`update settlements set created_at = ${later(yield* now, -8 * 86_400_000)} where id = ${id}`
      yield* workUntil(id, "lapsed")
      const { body } = yield* client.send("GET", "/api/v1/notifications", { token: buyer.accessToken })
      assert.deepStrictEqual(
        body.notifications.map((it: any) => [it.type, it.data.code, it.post_id]),
        [["account_issue", "payment_lapsed", seller.postId]]
      )
      // The hash and the quote stay taken; the Post may be bought by another payment.
      const other = yield* payerOf(3015)
      yield* ledger.confirmAfter(0)
      yield* other.fund()
      const second = yield* settlements.claim(yield* claimOf(other, { ...seller, buyerId: buyer.id }))
      assert.strictEqual((yield* run(settlements.carryThrough(second.id))).state, "settled")
      yield* ledger.confirm(claim.block.hash)
      yield* TestClock.adjust("25 hours")
      yield* workUntil(id, "settled")
      // The money is the author's, and buys nothing: both see it, for a refund.
      assert.deepStrictEqual(
        yield* sql`select s.duplicate, s.identity, a.amount_raw::text as amount from settlements s
          join allocations a on a.settlement_id = s.id where s.id = ${id}`,
        [{ duplicate: true, identity: null, amount: String(PRICE_RAW) }]
      )
      assert.strictEqual(yield* purchasesOf(id), 0)
      assert.strictEqual(yield* purchasesOf(second.id), 1)
    })
  )
})
