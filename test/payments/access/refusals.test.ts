import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { RAW_PER_XNO } from "../../../schemas/platform/Nano.ts"
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
import { service, type TestAnswer } from "../../support/TestClient.ts"
import { paidPost } from "./paidPost.ts"

const HALF = RAW_PER_XNO / 2n

const sellerOf = Effect.fnUntraced(function* (number: number) {
  const author = yield* authorOf(number)
  const { id } = yield* author.published(paidPost)
  return { author, id: id as string, payTo: author.wallet.account }
})

/** Asserts that a payment is refused by a 402 with fresh terms, and that nothing was saved or sent. */
const assertRefused = Effect.fnUntraced(function* (answer: TestAnswer, code: string, postId: string) {
  assert.strictEqual(answer.status, 402, answer.text)
  assert.strictEqual(answer.body.data.code, code)
  assert.strictEqual(answer.body.error, code)
  const { errorReason, success, transaction } = outcomeOf(answer)
  assert.deepStrictEqual([success, errorReason, transaction], [false, code, ""])
  const terms = fromBase64(answer.headers.get("payment-required"))
  assert.strictEqual(terms.error, code)
  assert.deepStrictEqual(terms.accepts, answer.body.accepts)
  assert.notInclude(answer.text, "secret")
  const sql = yield* SqlClient.SqlClient
  const rows =
    yield* sql`select id from settlements where post_id = ${postId} and state in ('settling', 'settled')`
  assert.deepStrictEqual(rows, [])
  assert.deepStrictEqual(yield* (yield* NanoLedgerMemory).published, [])
})

layer(service(database("test_payments_access_refusals")))("refusals before a payment is sent", (it) => {
  it.effect("A payment that cannot be read, or is of another version, is refused", () =>
    Effect.gen(function* () {
      const { id } = yield* sellerOf(1)
      const unreadable = yield* access(id, { payment: "{}" })
      assert.deepStrictEqual([unreadable.status, unreadable.body.data.code], [400, "invalid_payload"])
      assert.strictEqual(outcomeOf(unreadable).errorReason, "invalid_payload")
      const older = yield* access(id, { headers: { "x-payment": base64Json({ x402Version: 1 }) } })
      assert.deepStrictEqual([older.status, older.body.data.code], [400, "invalid_x402_version"])
    })
  )

  it.effect("A payment with a scheme, network, term or time of no offer for this Post is refused", () =>
    Effect.gen(function* () {
      const { author, id } = yield* sellerOf(2)
      const { id: other } = yield* author.published(paidPost)
      const buyer = yield* buyerOf(3)
      const { payload, terms } = yield* buyer.sign(id)
      const { accepted } = payload
      const changed = (members: object) => base64Json({ ...payload, accepted: { ...accepted, ...members } })
      const extra = (members: object) => changed({ extra: { ...accepted.extra, ...members } })
      const refused: ReadonlyArray<readonly [string, string]> = [
        [changed({ scheme: "upto" }), "unsupported_scheme"],
        [changed({ network: "nano:test" }), "invalid_network"],
        [changed({ asset: "BAN" }), "invalid_network"],
        [changed({ amount: "1" }), "requirements_mismatch"],
        [changed({ payTo: buyer.account }), "requirements_mismatch"],
        [changed({ maxTimeoutSeconds: 901 }), "requirements_mismatch"],
        [extra({ validBefore: terms.accepts[0].extra.validBefore + 1 }), "requirements_mismatch"],
        [extra({ intentId: "ppi_0123456789abcdefghijkl_0" }), "requirements_mismatch"],
        [base64Json({ ...payload, resource: { url: "https://elsewhere.test/" } }), "requirements_mismatch"]
      ]
      for (const [payment, code] of refused) yield* assertRefused(yield* access(id, { payment }), code, id)
      // The quote is for one Post alone.
      yield* assertRefused(
        yield* access(other, { payment: base64Json(payload) }),
        "requirements_mismatch",
        other
      )
      yield* TestClock.adjust("15 minutes")
      yield* assertRefused(yield* access(id, { payment: base64Json(payload) }), "quote_expired", id)
    })
  )

  it.effect("A block that is wrong in itself is refused", () =>
    Effect.gen(function* () {
      const { id, payTo } = yield* sellerOf(4)
      const buyer = yield* buyerOf(5)
      const { block, terms } = yield* buyer.sign(id)
      const other = yield* buyer.send(buyer.account, HALF)
      const author = yield* payerOf(4)
      yield* author.fund()
      const own = yield* author.send(payTo, HALF)
      const refused = [
        [{ ...block, type: "receive" }, "invalid_block"],
        [own, "self_payment"],
        [other, "invalid_payto"],
        [{ ...block, signature: own.signature }, "invalid_signature"],
        [{ ...block, work: "0000000000000001" }, "invalid_work"]
      ] as const
      for (const [sent, code] of refused) {
        // The wrong ones are blocks in form alone.
        const payment = base64Json(payloadOf(terms, sent as typeof block))
        yield* assertRefused(yield* access(id, { payment }), code, id)
      }
    })
  )

  it.effect("A block that does not fit the ledger is refused", () =>
    Effect.gen(function* () {
      const { id, payTo } = yield* sellerOf(6)
      const buyer = yield* buyerOf(7)
      const { block, terms } = yield* buyer.sign(id)
      const send = (sent: typeof block) => inTime(access(id, { payment: base64Json(payloadOf(terms, sent)) }))

      const poor = yield* payerOf(8)
      yield* assertRefused(
        yield* send(yield* poor.next(() => ({ balance: 0n, link: block.link }))),
        "account_not_found",
        id
      )
      yield* assertRefused(yield* send(yield* buyer.send(payTo, HALF - 1n)), "amount_mismatch", id)
      yield* assertRefused(yield* send(yield* buyer.send(payTo, HALF + 1n)), "amount_mismatch", id)
      yield* poor.fund(HALF - 1n)
      yield* assertRefused(
        yield* send(yield* poor.next(() => ({ balance: 0n, link: block.link }))),
        "insufficient_funds",
        id
      )
      const stale = yield* buyer.send(payTo, HALF, block.previous)
      yield* buyer.pay(buyer.account, 1n)
      yield* assertRefused(yield* send(stale), "frontier_moved", id)
      const sent = yield* buyer.send(payTo, HALF)
      yield* (yield* NanoLedgerMemory).book.process(sent)
      yield* assertRefused(yield* send(sent), "block_already_exists", id)
    })
  )

  it.effect("A payment waits three seconds for the confirmation of its frontier, and is then refused", () =>
    Effect.gen(function* () {
      const { id } = yield* sellerOf(9)
      const buyer = yield* buyerOf(10)
      const ledger = yield* NanoLedgerMemory
      yield* ledger.confirmAfter("never")
      const entry = yield* buyer.pay(buyer.account, 1n)
      const { payment } = yield* buyer.sign(id)
      yield* assertRefused(yield* inTime(access(id, { payment })), "frontier_unconfirmed", id)
      yield* ledger.confirmAfter(0)
      yield* ledger.confirm(entry.hash)
      const answer = yield* inTime(access(id, { payment }))
      assert.strictEqual(answer.status, 200, answer.text)
    })
  )
})
