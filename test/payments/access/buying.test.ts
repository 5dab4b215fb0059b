import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { NanoAddress, RAW_PER_XNO } from "../../../schemas/platform/Nano.ts"
import { authorOf } from "../../support/actors/author.ts"
import {
  access,
  base64Json,
  buyerOf,
  fromBase64,
  inTime,
  outcomeOf,
  payloadOf
} from "../../support/actors/buyer.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"

const PAID = {
  title: "Paid",
  paidContentMarkdown: "The **secret** of pennies.",
  enablePaywall: true,
  priceXno: "0.5"
}

layer(service(database("test_payments_access_buying")))("buying a Post by x402", (it) => {
  it.effect("An unpaid request gets the terms, and a paid one gets the text with a receipt", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const { id } = yield* author.published(PAID)
      const buyer = yield* buyerOf(2)

      const required = yield* access(id)
      assert.strictEqual(required.status, 402, required.text)
      assert.notInclude(required.text, "secret")
      assert.strictEqual(required.headers.get("cache-control"), "private, no-store")
      assert.strictEqual(
        required.headers.get("vary"),
        "Authorization, PAYMENT-SIGNATURE, X-Purchase-Receipt, X-Gift-Token"
      )
      const terms = fromBase64(required.headers.get("payment-required"))
      assert.strictEqual(terms.accepts[0].payTo, author.wallet.account)
      assert.strictEqual(terms.accepts[0].amount, `5${"0".repeat(29)}`)

      const { answer, payment } = yield* buyer.buy(id)
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual(answer.body.post.content.paid, "The **secret** of pennies.")
      assert.deepStrictEqual(answer.body.access.via, "payment")
      assert.strictEqual(answer.body.access.charged, true)
      assert.deepStrictEqual(outcomeOf(answer), answer.body.settlement)
      assert.strictEqual(answer.body.settlement.payer, buyer.account)

      const again = yield* access(id, { payment })
      assert.deepStrictEqual(again.body, answer.body)

      const byReceipt = yield* access(id, { receipt: answer.body.receipt.token })
      assert.strictEqual(byReceipt.body.access.via, "receipt")
      assert.strictEqual(byReceipt.body.access.purchaseId, answer.body.access.purchaseId)
      assert.strictEqual(byReceipt.body.post.content.paid, "The **secret** of pennies.")
    })
  )

  it.effect("A payment may take the last raw of a wallet", () =>
    Effect.gen(function* () {
      const { id } = yield* (yield* authorOf(3)).published(PAID)
      const payer = yield* payerOf(4)
      yield* payer.fund(RAW_PER_XNO / 2n)
      const terms = fromBase64((yield* access(id)).headers.get("payment-required"))
      const [{ amount, payTo }] = terms.accepts
      const block = yield* payer.send(NanoAddress.make(payTo), BigInt(amount))
      assert.strictEqual(block.balance, 0n)
      const answer = yield* inTime(access(id, { payment: base64Json(payloadOf(terms, block)) }))
      assert.strictEqual(answer.status, 200, answer.text)
      assert.isTrue(answer.body.access.charged)
    })
  )
})
