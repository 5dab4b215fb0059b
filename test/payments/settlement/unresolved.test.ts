import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { SettlementId } from "../../../schemas/platform/Ids.ts"
import { Settlements } from "../../../src/payments/settlement/Settlements.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { inTime } from "../../support/actors/buyer.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { claimOf, PRICE_RAW, sellerOf } from "./paying.ts"

const because = { actor: "Mo", reason: "The buyer asks" }

/** A claim whose block no ledger has seen. */
const claimed = Effect.fnUntraced(function* (number: number) {
  const seller = yield* sellerOf(number)
  const payer = yield* payerOf(number + 1)
  yield* payer.fund()
  const claim = yield* claimOf(payer, seller)
  const settlement = yield* (yield* Settlements).claim(claim)
  return { seller, payer, claim, settlement }
})

const audited = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select actor, reason, subject_id from administrator_actions where action = 'payments.settlements.look'
    order by created_at, id`
})

layer(service(database("test_unresolved_settlements"), 1, { adminToken: ADMIN_TOKEN }))(
  "unresolved settlements, for administrators (9)",
  (it) => {
    it.effect("Unresolved settlements are listed with their age and last failure, the oldest first", () =>
      Effect.gen(function* () {
        const calls = yield* administrator()
        const ledger = yield* NanoLedgerMemory
        assert.deepStrictEqual(yield* calls["payments.settlements.list"]({}), {
          settlements: [],
          nextCursor: null
        })
        const first = yield* claimed(1)
        yield* TestClock.adjust("90 seconds")
        const second = yield* claimed(3)
        yield* ledger.setAway(true)
        yield* calls["payments.settlements.look"]({ settlementId: first.settlement.id, ...because })
        yield* ledger.setAway(false)

        const { nextCursor, settlements } = yield* calls["payments.settlements.list"]({ limit: 1 })
        assert.deepStrictEqual(settlements, [
          {
            id: first.settlement.id,
            kind: "purchase",
            channel: "x402",
            state: "settling",
            lastFailure: "ledger_unavailable",
            postId: first.seller.postId,
            commentId: null,
            recipientId: first.seller.ownerId,
            buyerId: null,
            transaction: first.claim.block.hash,
            payer: first.payer.account,
            payTo: first.seller.payTo,
            amountRaw: String(PRICE_RAW),
            looks: 2,
            createdAt: settlements[0]!.createdAt,
            ageSeconds: 90,
            nextLookAt: settlements[0]!.nextLookAt
          }
        ])
        assert.strictEqual(nextCursor, first.settlement.id)
        const rest = yield* calls["payments.settlements.list"]({ limit: 1, cursor: nextCursor! })
        assert.deepStrictEqual(
          rest.settlements.map(({ id, lastFailure }) => [id, lastFailure]),
          [[second.settlement.id, null]]
        )
        assert.isNull(rest.nextCursor)
        const lapsed = yield* calls["payments.settlements.list"]({ state: "lapsed" })
        assert.deepStrictEqual(lapsed.settlements, [])
      })
    )

    it.effect("A settlement ends only when a look finds its end on the ledger", () =>
      Effect.gen(function* () {
        const calls = yield* administrator()
        const ledger = yield* NanoLedgerMemory
        const { claim, settlement } = yield* claimed(11)
        const look = calls["payments.settlements.look"]({ settlementId: settlement.id, ...because })
        yield* ledger.confirmAfter("never")
        // The first look sends the block, which nothing confirms.
        for (const _ of [1, 2]) {
          assert.deepInclude(yield* look, { state: "settling", lastFailure: "unconfirmed" })
        }
        yield* ledger.confirm(claim.block.hash)
        yield* ledger.confirmAfter("0 seconds")
        const before = (yield* audited).length
        for (const _ of [1, 2]) {
          assert.deepInclude(yield* look, { state: "settled", lastFailure: null, nextLookAt: null })
        }
        // A look at a settlement that has ended changes nothing, so it is not recorded.
        const actions = yield* audited
        assert.lengthOf(actions, before + 1)
        assert.deepInclude(actions.at(-1), { ...because, subject_id: settlement.id })
      })
    )

    it.effect("A settlement is refused only for a competitor that the ledger has confirmed", () =>
      Effect.gen(function* () {
        const calls = yield* administrator()
        const ledger = yield* NanoLedgerMemory
        const { payer, settlement } = yield* claimed(21)
        const look = calls["payments.settlements.look"]({ settlementId: settlement.id, ...because })
        yield* ledger.confirmAfter("never")
        // The payer spends the same money in another way.
        const other = yield* payer.pay((yield* payerOf(29)).account, 1n)
        assert.deepInclude(yield* look, { state: "settling", lastFailure: "fork" })
        yield* ledger.confirm(other.hash)
        yield* ledger.confirmAfter("0 seconds")
        assert.deepInclude(yield* look, { state: "refused", lastFailure: "fork" })
      })
    )

    it.effect("A lapsed settlement is never refused, and settles when the ledger has it", () =>
      Effect.gen(function* () {
        const calls = yield* administrator()
        const ledger = yield* NanoLedgerMemory
        const { claim, settlement } = yield* claimed(31)
        const look = calls["payments.settlements.look"]({ settlementId: settlement.id, ...because })
        yield* ledger.confirmAfter("never")
        yield* look
        yield* TestClock.adjust("8 days")
        assert.deepInclude(yield* look, { state: "lapsed", lastFailure: "unconfirmed" })
        const { settlements } = yield* calls["payments.settlements.list"]({ state: "lapsed" })
        assert.include(
          settlements.map(({ id }) => id),
          settlement.id
        )
        yield* ledger.confirm(claim.block.hash)
        yield* ledger.confirmAfter("0 seconds")
        assert.deepInclude(yield* look, { state: "settled", lastFailure: null })
      })
    )

    it.effect("A settlement that a request and an administrator look at concurrently settles once", () =>
      Effect.gen(function* () {
        const calls = yield* administrator()
        const { settlement } = yield* claimed(41)
        const look = calls["payments.settlements.look"]({ settlementId: settlement.id, ...because })
        const ends = yield* inTime(
          Effect.all([(yield* Settlements).carryThrough(settlement.id), look, look, look], {
            concurrency: "unbounded"
          })
        )
        for (const { state } of ends) assert.include(["settled", "settling"], state)
        assert.strictEqual((yield* inTime(look)).state, "settled")
        const sql = yield* SqlClient.SqlClient
        assert.lengthOf(yield* sql`select from purchases where settlement_id = ${settlement.id}`, 1)
      })
    )

    it.effect("A settlement of an unknown id is not found", () =>
      Effect.gen(function* () {
        const calls = yield* administrator()
        const settlementId = SettlementId.make("0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e")
        const before = yield* audited
        const refused = yield* Effect.flip(calls["payments.settlements.look"]({ settlementId, ...because }))
        assert.strictEqual(refused._tag, "SettlementNotFound")
        assert.deepStrictEqual(yield* audited, before)
      })
    )
  }
)
