import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { RAW_PER_XNO } from "../../../schemas/platform/Nano.ts"
import { blockHash } from "../../../src/platform/nano/blocks.ts"
import { authorOf } from "../../support/actors/author.ts"
import { access, base64Json, buyerOf, inTime, outcomeOf, payloadOf } from "../../support/actors/buyer.ts"
import { carryOn } from "../../support/actors/carryOn.ts"
import { walletOf } from "../../support/actors/owner.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { database } from "../../support/Database.ts"
import { service, type TestAnswer, TestClient } from "../../support/TestClient.ts"
import { paidPost, SECRET } from "./paidPost.ts"

const HALF = RAW_PER_XNO / 2n

const seen = ({ body, status }: TestAnswer) => [status, body.access?.via ?? body.data.code]

const sellerOf = Effect.fnUntraced(function* (number: number) {
  const author = yield* authorOf(number)
  const { id } = yield* author.published(paidPost)
  return { author, id: id as string, payTo: author.wallet.account }
})

/** Returns the purchases of a Post. */
const purchasesOf = Effect.fnUntraced(function* (postId: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ readonly id: string }>`select id from purchases where post_id = ${postId}`
})

const published = Effect.flatMap(NanoLedgerMemory, ({ published }) => published)

layer(service(database("test_payments_access_failures")))("a payment for a Post", (it) => {
  it.effect("A payment on former terms is refused without a charge", () =>
    Effect.gen(function* () {
      const { author, id } = yield* sellerOf(1)
      const buyer = yield* buyerOf(2)
      const client = yield* TestClient
      const { payment } = yield* buyer.sign(id)
      yield* author.patch(id, { priceXno: "0.75" })
      const dearer = yield* access(id, { payment })
      assert.deepStrictEqual(seen(dearer), [402, "requirements_changed"])
      assert.strictEqual(dearer.body.accepts[0].amount, `75${"0".repeat(28)}`)

      const { payment: next } = yield* buyer.sign(id)
      const { account: payoutAddress } = walletOf(3)
      yield* client.send("PUT", "/api/v1/profile/payout-address", {
        token: author.accessToken,
        body: { payoutAddress }
      })
      const moved = yield* access(id, { payment: next })
      assert.deepStrictEqual(seen(moved), [402, "requirements_changed"])
      assert.strictEqual(moved.body.accepts[0].payTo, payoutAddress)
      assert.deepStrictEqual(yield* published, [])
    })
  )

  it.effect("A payment is not taken for a Post that was withdrawn or became free", () =>
    Effect.gen(function* () {
      const { author, id } = yield* sellerOf(4)
      const buyer = yield* buyerOf(5)
      const { payload, payment } = yield* buyer.sign(id)
      yield* author.unpublish(id)
      const withdrawn = yield* access(id, { payment })
      assert.deepStrictEqual(seen(withdrawn), [410, "post_withdrawn"])
      assert.strictEqual(outcomeOf(withdrawn).errorReason, "post_withdrawn")
      // Without a quote of this Post, a caller does not learn that it exists.
      const guess = base64Json({ ...payload, accepted: { ...payload.accepted, amount: "1" } })
      assert.deepStrictEqual(seen(yield* access(id, { payment: guess })), [404, "not_found"])

      yield* author.patch(id, { enablePaywall: false })
      yield* author.publish(id, "again")
      const free = yield* access(id, { payment })
      assert.deepStrictEqual(seen(free), [200, "free"])
      assert.isFalse(free.body.access.charged)
      assert.strictEqual(outcomeOf(free).success, true)
      assert.deepStrictEqual(yield* published, [])
    })
  )

  it.effect("A payment without a confirmation is pending, and is never asked for again", () =>
    Effect.gen(function* () {
      const { id } = yield* sellerOf(6)
      const buyer = yield* buyerOf(7)
      const ledger = yield* NanoLedgerMemory
      yield* ledger.confirmAfter("never")
      const { block, payment } = yield* buyer.sign(id)
      const pending = yield* inTime(access(id, { payment }))
      assert.deepStrictEqual(seen(pending), [503, "settlement_pending"])
      assert.strictEqual(pending.headers.get("retry-after"), "2")
      assert.strictEqual(pending.body.error, "settlement_pending")
      assert.include(pending.body.note, "repeat this very request")
      assert.strictEqual(pending.body.data.retryAfter, 2)
      const outcome = outcomeOf(pending)
      assert.deepStrictEqual(
        [outcome.success, outcome.errorReason, outcome.transaction, outcome.payer],
        [false, "settlement_pending", blockHash(block), buyer.account]
      )
      assert.deepStrictEqual(seen(yield* inTime(access(id, { payment }))), [503, "settlement_pending"])

      yield* ledger.confirmAfter(0)
      yield* ledger.confirm(blockHash(block))
      yield* carryOn
      const last = yield* access(id, { payment })
      assert.deepStrictEqual(seen(last), [200, "payment"])
      assert.isTrue(last.body.access.charged)
    })
  )

  it.effect("A payment is safe to repeat when the ledger fails, before and after it is sent", () =>
    Effect.gen(function* () {
      const { id } = yield* sellerOf(8)
      const buyer = yield* buyerOf(9)
      const ledger = yield* NanoLedgerMemory
      const { payment } = yield* buyer.sign(id)
      yield* ledger.faultNext("block", "error answer")
      const before = yield* access(id, { payment })
      assert.deepStrictEqual(seen(before), [503, "ledger_unavailable"])
      assert.strictEqual(outcomeOf(before).transaction, "")
      // The answer to the broadcast is lost: the block is there all the same.
      yield* ledger.faultNext("publish", "lost answer")
      const answer = yield* inTime(access(id, { payment }))
      assert.deepStrictEqual(seen(answer), [200, "payment"])
      assert.isTrue(answer.body.access.charged)
      assert.strictEqual((yield* purchasesOf(id)).length, 1)
    })
  )

  it.effect("Payments are not asked for while the ledger is unavailable", () =>
    Effect.gen(function* () {
      const { author, id } = yield* sellerOf(10)
      const ledger = yield* NanoLedgerMemory
      yield* ledger.setAway(true)
      const answer = yield* access(id)
      assert.deepStrictEqual(seen(answer), [503, "ledger_unavailable"])
      assert.isNull(answer.headers.get("payment-required"))
      assert.deepStrictEqual(seen(yield* access(id, { token: author.accessToken })), [200, "author"])
      yield* ledger.setAway(false)
      assert.deepStrictEqual(seen(yield* access(id)), [402, "payment_required"])
    })
  )

  it.effect("One block pays one Post, and showing a block of the ledger gives no access", () =>
    Effect.gen(function* () {
      const { author, id } = yield* sellerOf(11)
      const { id: other } = yield* author.published({ ...paidPost, title: "Other" })
      const buyer = yield* buyerOf(12)
      const { block, terms } = yield* buyer.sign(id)
      const { terms: others } = yield* buyer.sign(other)
      const { terms: again } = yield* buyer.sign(id)
      const bought = yield* inTime(access(id, { payment: base64Json(payloadOf(terms, block)) }))
      assert.deepStrictEqual(seen(bought), [200, "payment"])

      // The block is public now. With a fresh quote it pays for nothing, and shows nothing.
      const stolen = yield* inTime(access(id, { payment: base64Json(payloadOf(again, block)) }))
      assert.deepStrictEqual(seen(stolen), [402, "block_already_used"])
      assert.notInclude(stolen.text, "secret")
      const elsewhere = yield* inTime(access(other, { payment: base64Json(payloadOf(others, block)) }))
      assert.deepStrictEqual(seen(elsewhere), [402, "block_already_used"])
      assert.strictEqual((yield* purchasesOf(other)).length, 0)
    })
  )

  it.effect("A client that lost its answer and starts over is charged once", () =>
    Effect.gen(function* () {
      const { id } = yield* sellerOf(13)
      const buyer = yield* buyerOf(14)
      const { answer: first } = yield* buyer.buy(id)
      const sent = (yield* published).length
      const { answer: second } = yield* buyer.buy(id)
      assert.deepStrictEqual(seen(second), [200, "payment"])
      assert.isFalse(second.body.access.charged)
      assert.strictEqual(second.body.post.content.paid, SECRET)
      assert.strictEqual(second.body.settlement.transaction, first.body.settlement.transaction)
      assert.strictEqual((yield* published).length, sent)
      assert.strictEqual((yield* purchasesOf(id)).length, 1)
      // It has a receipt of its own, which reads as the first does.
      assert.notStrictEqual(second.body.receipt.token, first.body.receipt.token)
      const byReceipt = yield* access(id, { receipt: second.body.receipt.token })
      assert.deepStrictEqual(seen(byReceipt), [200, "receipt"])

      // A wallet pays again for an account of another owner, and not for its own.
      const { accessToken: token } = yield* readerOf(15)
      const { answer: adopted } = yield* buyer.buy(id, { token })
      assert.deepStrictEqual(seen(adopted), [200, "purchase"])
      assert.isFalse(adopted.body.access.charged)
      assert.strictEqual((yield* purchasesOf(id)).length, 1)
      assert.deepStrictEqual(seen(yield* access(id, { token })), [200, "purchase"])
    })
  )

  it.effect("A payment waits for the first one of its wallet, and only that one is sent", () =>
    Effect.gen(function* () {
      const { id, payTo } = yield* sellerOf(16)
      const buyer = yield* buyerOf(17)
      const ledger = yield* NanoLedgerMemory
      const past = yield* buyer.send(payTo, HALF)
      yield* ledger.book.process(past)
      yield* ledger.confirmAfter("never")
      const { block: first, payment } = yield* buyer.sign(id)
      const sent = (yield* published).length
      assert.deepStrictEqual(seen(yield* inTime(access(id, { payment }))), [503, "settlement_pending"])

      // Blocks of the ledger prove no wallet: neither the one under way, nor one of the past.
      const { block: second, payment: again, terms } = yield* buyer.sign(id)
      const shown = yield* inTime(access(id, { payment: base64Json(payloadOf(terms, first)) }))
      assert.deepStrictEqual(seen(shown), [503, "settlement_pending"])
      const older = yield* inTime(access(id, { payment: base64Json(payloadOf(terms, past)) }))
      assert.deepStrictEqual(seen(older), [402, "block_already_exists"])

      const waiting = yield* inTime(access(id, { payment: again }))
      assert.deepStrictEqual(seen(waiting), [503, "settlement_pending"])
      assert.strictEqual(outcomeOf(waiting).transaction, blockHash(first))
      yield* ledger.confirmAfter(0)
      yield* ledger.confirm(blockHash(first))
      yield* carryOn
      const answer = yield* inTime(access(id, { payment: again }))
      assert.deepStrictEqual(seen(answer), [200, "payment"])
      assert.isFalse(answer.body.access.charged)
      assert.strictEqual(answer.body.settlement.transaction, blockHash(first))
      assert.strictEqual((yield* published).length, sent + 1)
      assert.notStrictEqual(blockHash(second), blockHash(first))
    })
  )

  it.effect("An account whose payment is settling pays with no other wallet, and gets no 402 for it", () =>
    Effect.gen(function* () {
      const { id } = yield* sellerOf(40)
      const [buyer, other] = yield* Effect.all([buyerOf(41), buyerOf(42)])
      const { accessToken: token } = yield* readerOf(43)
      const ledger = yield* NanoLedgerMemory
      yield* ledger.confirmAfter("never")
      const { block, payment } = yield* buyer.sign(id, { token })
      const { payload, payment: second } = yield* other.sign(id, { token })
      const sent = (yield* published).length
      assert.deepStrictEqual(seen(yield* inTime(access(id, { payment, token }))), [503, "settlement_pending"])
      const unsigned = { ...payload.payload.block, signature: "0".repeat(128) }
      const forged = base64Json({ ...payload, payload: { block: unsigned } })
      for (const later of [forged, second]) {
        const waiting = yield* inTime(access(id, { payment: later, token }))
        assert.deepStrictEqual(seen(waiting), [503, "settlement_pending"])
        assert.strictEqual(outcomeOf(waiting).transaction, blockHash(block))
      }
      yield* ledger.confirmAfter(0)
      yield* ledger.confirm(blockHash(block))
      yield* carryOn
      const answer = yield* inTime(access(id, { payment: second, token }))
      assert.deepStrictEqual([...seen(answer), answer.body.access?.charged], [200, "purchase", false])
      assert.strictEqual((yield* published).length, sent + 1)
      assert.strictEqual((yield* purchasesOf(id)).length, 1)
    })
  )

  it.effect("A fork is refused once the network has confirmed the competitor", () =>
    Effect.gen(function* () {
      const { id } = yield* sellerOf(18)
      const buyer = yield* buyerOf(19)
      const ledger = yield* NanoLedgerMemory
      yield* ledger.confirmAfter("never")
      const { block, payment } = yield* buyer.sign(id)
      assert.deepStrictEqual(seen(yield* inTime(access(id, { payment }))), [503, "settlement_pending"])
      yield* ledger.confirmAfter(0)
      yield* ledger.elect(yield* buyer.send(buyer.account, 1n, block.previous))
      yield* carryOn
      // Each repeat of the payment has the same answer, for which the ledger is not asked.
      const calls = yield* ledger.calls("block")
      for (let times = 0; times < 2; times++)
        assert.deepStrictEqual(seen(yield* access(id, { payment })), [402, "fork"])
      assert.strictEqual(yield* ledger.calls("block"), calls)
      const { answer } = yield* buyer.buy(id)
      assert.deepStrictEqual(seen(answer), [200, "payment"])
      assert.isTrue(answer.body.access.charged)
    })
  )

  it.effect("A payment identifier names one payment", () =>
    Effect.gen(function* () {
      const { id } = yield* sellerOf(20)
      const buyer = yield* buyerOf(21)
      const { payload } = yield* buyer.sign(id)
      const named = (extra: object) =>
        base64Json({
          ...payload,
          ...extra,
          extensions: { "payment-identifier": { info: { id: "order-0123456789" } } }
        })
      const first = yield* inTime(access(id, { payment: named({}) }))
      assert.deepStrictEqual(seen(first), [200, "payment"])
      assert.deepStrictEqual((yield* access(id, { payment: named({}) })).body, first.body)
      const other = yield* access(id, { payment: named({ note: "another" }) })
      assert.deepStrictEqual(seen(other), [409, "payment_identifier_conflict"])
      assert.strictEqual(outcomeOf(other).errorReason, "payment_identifier_conflict")
    })
  )
})
