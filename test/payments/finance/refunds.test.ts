import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { blockHash } from "../../../src/platform/nano/blocks.ts"
import { refusalOf } from "../../support/actors/author.ts"
import { signIn } from "../../support/actors/owner.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { ownerIdOf, PRICE_RAW, sellerOf } from "../settlement/paying.ts"
import { paid } from "./selling.ts"

/** A sale, and the author's wallet to refund it from. Numbers of actors begin at `number`. */
const sold = Effect.fnUntraced(function* (number: number) {
  const client = yield* TestClient
  const { author, payTo, target } = yield* sellerOf(number)
  const buyer = yield* payerOf(number + 1)
  yield* buyer.fund()
  const sale = yield* paid(buyer, { target, payTo, amountRaw: PRICE_RAW })
  const own = yield* payerOf(number)
  yield* own.fund()
  const refund = (blockHash: string, token = author.accessToken, id: string = sale.id) =>
    client.send("POST", `/api/v1/finance/sales/${id}/refunds`, { token, body: { blockHash } })
  const summary = Effect.map(
    client.send("GET", "/api/v1/finance/summary", { token: author.accessToken }),
    ({ body }) => body
  )
  return { author, buyer, own, sale, refund, summary, target, payTo }
})

layer(service(database("test_finance_refunds")))("refunds (4)", (it) => {
  it.effect("Refunds are recorded up to the last raw of the sale, each block once", () =>
    Effect.gen(function* () {
      const { buyer, own, refund, sale, summary } = yield* sold(1)
      const most = yield* own.pay(buyer.account, PRICE_RAW - 1n)
      const first = yield* refund(most.hash)
      assert.strictEqual(first.status, 201, first.text)
      assert.deepInclude(first.body, { id: sale.id, refundedRaw: String(PRICE_RAW - 1n) })
      // A repeat after a lost answer, in the other case of the hash.
      const again = yield* refund(most.hash.toLowerCase())
      assert.deepStrictEqual([again.status, again.body], [201, first.body])

      const tooMuch = yield* own.pay(buyer.account, 2n)
      assert.deepStrictEqual(refusalOf(yield* refund(tooMuch.hash)), [422, "refund_mismatch"])
      const rest = yield* own.pay(buyer.account, 1n)
      assert.strictEqual((yield* refund(rest.hash)).body.refundedRaw, String(PRICE_RAW))
      const beyond = yield* own.pay(buyer.account, 1n)
      assert.deepStrictEqual(refusalOf(yield* refund(beyond.hash)), [422, "refund_mismatch"])
      assert.strictEqual((yield* summary).refundedRaw, String(PRICE_RAW))
    })
  )

  it.effect("Concurrent refunds are counted one after the other", () =>
    Effect.gen(function* () {
      const { buyer, own, refund, summary } = yield* sold(31)
      const blocks = [
        yield* own.pay(buyer.account, PRICE_RAW),
        yield* own.pay(buyer.account, PRICE_RAW - 1n),
        yield* own.pay(buyer.account, PRICE_RAW - 2n)
      ]
      const answers = yield* Effect.forEach([...blocks, ...blocks], ({ hash }) => refund(hash), {
        concurrency: "unbounded"
      })
      const recorded = answers.filter(({ status }) => status === 201)
      assert.isAtLeast(recorded.length, 1)
      assert.lengthOf(new Set(recorded.map(({ body }) => body.refundedRaw)), 1)
      assert.strictEqual((yield* summary).refundedRaw, recorded[0]!.body.refundedRaw)
      for (const { status } of answers) assert.include([201, 422], status)
    })
  )

  it.effect("A refund is a confirmed send to the payer, by a block that nothing else has used", () =>
    Effect.gen(function* () {
      const control = yield* NanoLedgerMemory
      const { author, buyer, own, payTo, refund, sale, target } = yield* sold(11)
      const unknown = yield* own.send(buyer.account, 1n)
      assert.deepStrictEqual(refusalOf(yield* refund(blockHash(unknown))), [409, "block_unconfirmed"])
      const other = yield* own.pay((yield* payerOf(19)).account, 1n)
      assert.deepStrictEqual(refusalOf(yield* refund(other.hash)), [422, "refund_mismatch"])
      const received = (yield* own.head)!
      assert.deepStrictEqual(refusalOf(yield* refund(received.hash)), [422, "refund_mismatch"])

      yield* control.confirmAfter("never")
      const unconfirmed = yield* own.pay(buyer.account, 1n)
      // The same request succeeds later, but a block to another account never fits.
      const early = yield* refund(unconfirmed.hash)
      assert.deepStrictEqual(refusalOf(early), [409, "block_unconfirmed"])
      assert.deepStrictEqual([early.headers.get("retry-after"), early.body.data.retryAfter], ["2", 2])
      const elsewhere = yield* own.pay((yield* payerOf(19)).account, 1n)
      assert.deepStrictEqual(refusalOf(yield* refund(elsewhere.hash)), [422, "refund_mismatch"])
      yield* Effect.forEach([unconfirmed, elsewhere], ({ hash }) => control.confirm(hash))
      assert.strictEqual((yield* refund(unconfirmed.hash)).status, 201)
      yield* control.confirmAfter("0 seconds")

      // The same block refunds no other sale, and the block of a payment none at all.
      const second = yield* sold(21)
      const twice = yield* second.refund(unconfirmed.hash)
      assert.strictEqual(twice.body.data.code, "refund_mismatch")
      const more = yield* paid(yield* payerOf(12), { target, payTo, amountRaw: PRICE_RAW })
      assert.deepStrictEqual(refusalOf(yield* refund(unconfirmed.hash, author.accessToken, more.id)), [
        409,
        "block_already_used"
      ])
      const friend = yield* ownerIdOf((yield* signIn(12)).accessToken)
      const tip = { kind: "tip", postId: null, commentId: null, recipientId: friend } as const
      const tipped = yield* paid(own, { target: tip, payTo: buyer.account, amountRaw: 10n ** 24n })
      assert.deepStrictEqual(refusalOf(yield* refund(tipped.blockHash)), [409, "block_already_used"])

      const { accessToken } = yield* signIn(13)
      const spare = yield* own.pay(buyer.account, 1n)
      assert.deepStrictEqual(refusalOf(yield* refund(spare.hash, accessToken)), [404, "not_found"])
      assert.deepStrictEqual(
        refusalOf(yield* refund(spare.hash, author.accessToken, "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e")),
        [404, "not_found"]
      )
      assert.strictEqual((yield* refund("xyz")).status, 422)
      yield* control.faultNext("block", "lost request")
      assert.deepStrictEqual(refusalOf(yield* refund(spare.hash)), [503, "ledger_unavailable"])
      assert.strictEqual((yield* refund(spare.hash)).status, 201)
      assert.strictEqual(sale.state, "settled")
    })
  )
})
