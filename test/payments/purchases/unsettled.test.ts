import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { Settlements } from "../../../src/payments/settlement/Settlements.ts"
import { refusalOf } from "../../support/actors/author.ts"
import { access, buyerOf, inTime } from "../../support/actors/buyer.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { paid } from "../finance/selling.ts"
import { ownerIdOf, PRICE_RAW, sellerOf } from "../settlement/paying.ts"

const listed = (reader: Effect.Success<ReturnType<typeof readerOf>>) =>
  Effect.map(reader.send("GET", "/api/v1/purchases"), ({ body }) => body.data)

layer(service(database("test_payments_unsettled_purchases")))("purchases of an account (2.7)", (it) => {
  it.effect("A purchase is listed while it settles, and keeps its id", () =>
    Effect.gen(function* () {
      const ledger = yield* NanoLedgerMemory
      const { postId } = yield* sellerOf(1)
      const reader = yield* readerOf(2)
      const { accessToken: token } = reader
      const buyer = yield* buyerOf(3)
      // Money that never settles is no purchase of another account.
      const other = yield* readerOf(4)

      yield* ledger.confirmAfter("never")
      const { answer, payment } = yield* buyer.buy(postId, { token })
      assert.strictEqual(answer.status, 503)
      const [settling, ...none] = yield* listed(reader)
      assert.deepStrictEqual(none, [])
      assert.deepInclude(settling, { postId, state: "settling", duplicate: false, refundedRaw: "0" })
      assert.strictEqual(settling.transaction, (yield* buyer.head)?.hash)
      assert.deepStrictEqual((yield* reader.send("GET", `/api/v1/purchases/${settling.id}`)).body, settling)
      assert.deepStrictEqual(yield* listed(other), [])
      assert.strictEqual((yield* other.send("GET", `/api/v1/purchases/${settling.id}`)).status, 404)

      yield* ledger.confirm(settling.transaction)
      yield* ledger.confirmAfter("0 seconds")
      yield* inTime((yield* Settlements).carryThrough(settling.id))
      const { body, status } = yield* access(postId, { token, payment })
      assert.strictEqual(status, 200)
      assert.strictEqual(body.access.purchaseId, settling.id)
      const settled = yield* listed(reader)
      assert.deepStrictEqual(settled, [
        { ...settling, state: "settled", purchasedAt: settled[0].purchasedAt }
      ])
    })
  )

  it.effect("A purchase settles as it is when its block is claimed in the meantime", () =>
    Effect.gen(function* () {
      const ledger = yield* NanoLedgerMemory
      const { postId } = yield* sellerOf(21)
      const reader = yield* readerOf(22)
      const { accessToken: token } = reader
      // The login wallet pays, with the account.
      const buyer = yield* buyerOf(22)
      yield* ledger.confirmAfter("never")
      const { answer, payment } = yield* buyer.buy(postId, { token })
      assert.strictEqual(answer.status, 503)
      const { hash } = (yield* buyer.head)!
      yield* ledger.confirm(hash)
      yield* ledger.confirmAfter("0 seconds")
      const claimed = yield* reader.send("POST", "/api/v1/purchases/claims", {
        body: { postId, blockHash: hash }
      })
      assert.deepStrictEqual(refusalOf(claimed), [409, "block_already_used"])
      const [{ id }] = yield* listed(reader)
      yield* inTime((yield* Settlements).carryThrough(id))
      const { body, status } = yield* access(postId, { token, payment })
      assert.deepStrictEqual([status, body.access.charged], [200, true])
      assert.deepInclude((yield* listed(reader))[0], {
        state: "settled",
        duplicate: false,
        transaction: hash
      })
    })
  )

  it.effect("A purchase shows what the author sent back, also of a duplicate", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { author, payTo, target } = yield* sellerOf(11)
      const reader = yield* readerOf(12)
      const buyerId = yield* ownerIdOf(reader.accessToken)
      const buyer = yield* payerOf(12)
      const own = yield* payerOf(11)
      yield* buyer.fund()
      yield* own.fund()
      const bought = yield* paid(buyer, { target, payTo, amountRaw: PRICE_RAW, buyerId })
      const again = yield* paid(buyer, { target, payTo, amountRaw: PRICE_RAW, buyerId })
      const refund = Effect.fnUntraced(function* (sale: string, amountRaw: bigint) {
        const { hash } = yield* own.pay(buyer.account, amountRaw)
        return yield* client.send("POST", `/api/v1/finance/sales/${sale}/refunds`, {
          token: author.accessToken,
          body: { blockHash: hash }
        })
      })
      yield* refund(bought.id, 3n)
      yield* refund(bought.id, 4n)
      yield* refund(again.id, PRICE_RAW)
      assert.deepStrictEqual(refusalOf(yield* refund(again.id, 1n)), [422, "refund_mismatch"])
      const sums = (yield* listed(reader)).map(({ duplicate, id, refundedRaw, state }: any) => [
        id,
        state,
        duplicate,
        refundedRaw
      ])
      assert.deepStrictEqual(sums, [
        [again.id, "settled", true, String(PRICE_RAW)],
        [bought.purchaseId, "settled", false, "7"]
      ])
      const read = yield* reader.send("GET", `/api/v1/purchases/${again.id}`)
      assert.deepInclude(read.body, { duplicate: true, refundedRaw: String(PRICE_RAW) })
    })
  )
})
