import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { Settlements } from "../../../src/payments/settlement/Settlements.ts"
import { signIn } from "../../support/actors/owner.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { claimOf, claimWith, hashNamed, ownerIdOf, PRICE_RAW, run, sellerOf } from "./paying.ts"

layer(service(database("test_settling")))("settling", (it) => {
  it.effect("A claim is published, confirmed and settled, with all that follows", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const settlements = yield* Settlements
      const seller = yield* sellerOf(1)
      const payer = yield* payerOf(101)
      yield* payer.fund()
      const { accessToken } = yield* signIn(102)
      const buyerId = yield* ownerIdOf(accessToken)

      const claim = yield* claimOf(payer, {
        ...seller,
        buyerId,
        receipt: "receipt",
        paymentIdentifier: "id-1"
      })
      const claimed = yield* settlements.claim(claim)
      assert.deepInclude(claimed, { state: "settling", target: seller.target, amountRaw: PRICE_RAW, buyerId })
      const settled = yield* run(settlements.carryThrough(claimed.id))
      assert.strictEqual(settled.state, "settled")
      assert.isNotNull(settled.purchaseId)
      assert.isFalse(settled.isDuplicate)
      assert.isTrue((yield* payer.head)?.hash === claim.block.hash)

      assert.deepStrictEqual(
        yield* sql`select post_id, buyer_id, amount_raw::text as amount, late from purchases`,
        [{ post_id: seller.postId, buyer_id: buyerId, amount: String(PRICE_RAW), late: false }]
      )
      assert.deepStrictEqual(
        yield* sql`select role, owner_id, amount_raw::text as amount, address, payout_revision, state from allocations`,
        [
          {
            role: "author",
            owner_id: seller.ownerId,
            amount: String(PRICE_RAW),
            address: seller.payTo,
            payout_revision: 1,
            state: "settled"
          }
        ]
      )
      assert.deepStrictEqual(
        yield* sql`select counter, subject_id, amount from counter_changes where counter = 'post_purchases'`,
        [{ counter: "post_purchases", subject_id: seller.postId, amount: 1 }]
      )
      assert.deepStrictEqual(
        yield* sql`select title, paid_content_markdown from sold_versions v join settlements s on s.post_id = v.post_id and s.version_sha256 = v.sha256`,
        [{ title: "On pennies", paid_content_markdown: "The **secret** of pennies." }]
      )
      const sums = { sales: 1, sales_raw: String(PRICE_RAW), tips: 0, tips_raw: "0" }
      assert.deepStrictEqual(
        yield* sql`select owner_id, sales, sales_raw, tips, tips_raw from earnings_daily`,
        [{ owner_id: seller.ownerId, ...sums }]
      )
      assert.deepStrictEqual(
        yield* sql`select owner_id, sales, sales_raw, tips, tips_raw from support_daily`,
        [{ owner_id: buyerId, ...sums }]
      )
      assert.deepStrictEqual(yield* sql`select from fee_accounts`, [])
      assert.deepStrictEqual(
        yield* sql`select purchase_id, post_id from access_receipts where token_hash = ${hashNamed("receipt")}`,
        [{ purchase_id: settled.purchaseId, post_id: seller.postId }]
      )

      const again = yield* settlements.carryThrough(claimed.id)
      assert.deepStrictEqual(again, settled)
      assert.deepStrictEqual(yield* settlements.awaitEnd(claimed.id), settled)
      const byQuote = yield* settlements.ofQuote(seller.target, claim.quoteHash)
      assert.deepStrictEqual(byQuote, Option.some(settled))
      const byIdentifier = yield* settlements.ofIdentifier(seller.target, "id-1")
      assert.deepStrictEqual(byIdentifier, Option.some({ ...settled, payloadHash: claim.payloadHash }))
      const sent = { blockHash: claim.block.hash, payerKey: payer.key }
      const byBlock = Option.some(settled)
      assert.deepStrictEqual(yield* settlements.earlier(seller.target, { ...sent, buyerId }), {
        byBlock,
        settling: Option.none(),
        settled: byBlock
      })
      // A purchase of an account is not the wallet's: it may buy for another account.
      assert.deepStrictEqual(
        yield* settlements.earlier(seller.target, { ...sent, buyerId: seller.ownerId }),
        { byBlock, settling: Option.none(), settled: Option.none() }
      )
    })
  )

  it.effect("A claim whose terms have changed meanwhile is refused, and says why", () =>
    Effect.gen(function* () {
      const settlements = yield* Settlements
      const ledger = yield* NanoLedgerMemory
      const before = yield* ledger.published
      const seller = yield* sellerOf(2)
      const payer = yield* payerOf(103)
      yield* payer.fund()
      const reasonOf = Effect.fnUntraced(function* (terms: Partial<Parameters<typeof claimOf>[1]> = {}) {
        const claim = yield* claimOf(payer, { ...seller, ...terms })
        return (yield* Effect.flip(settlements.claim(claim))).reason
      })
      assert.strictEqual(yield* reasonOf({ amountRaw: PRICE_RAW + 1n }), "terms_changed")
      assert.strictEqual(yield* reasonOf({ payTo: payer.account }), "terms_changed")
      yield* seller.author.unpublish(seller.postId)
      assert.strictEqual(yield* reasonOf(), "withdrawn")
      yield* seller.author.publish(seller.postId, "again")
      const patched = yield* seller.author.patch(seller.postId, { enablePaywall: false })
      assert.strictEqual(patched.status, 200)
      assert.strictEqual(yield* reasonOf(), "free")
      assert.deepStrictEqual(yield* ledger.published, before)
    })
  )

  it.effect("One block, one quote and one Post are claimed once", () =>
    Effect.gen(function* () {
      const settlements = yield* Settlements
      const seller = yield* sellerOf(3)
      const other = yield* seller.another
      const [payer, second] = yield* Effect.all([payerOf(104), payerOf(105)])
      yield* payer.fund()
      yield* second.fund()
      const claim = yield* claimOf(payer, { ...seller, quote: "one quote" })
      yield* settlements.claim(claim)
      const reasonOf = (it: typeof claim) =>
        Effect.map(Effect.flip(settlements.claim(it)), ({ reason }) => reason)
      assert.strictEqual(yield* reasonOf(claim), "already")
      assert.strictEqual(
        yield* reasonOf(claimWith(claim.block.block, { ...seller, target: other })),
        "already"
      )
      const byOther = yield* claimOf(second, { ...seller, quote: "one quote" })
      assert.strictEqual(yield* reasonOf(byOther), "already")
      // Another block on the same previous, for another Post.
      const rival = yield* claimOf(payer, { ...seller, target: other })
      assert.strictEqual(rival.block.hash, claim.block.hash)
      const cheaper = yield* payer.send(seller.payTo, PRICE_RAW + 1n)
      assert.strictEqual(
        yield* reasonOf(claimWith(cheaper, { ...seller, target: other })),
        "previous_in_flight"
      )
    })
  )
})
