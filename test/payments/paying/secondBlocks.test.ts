import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { blockHash } from "../../../src/platform/nano/blocks.ts"
import { base64Json, fromBase64, inTime, outcomeOf, payloadOf } from "../../support/actors/buyer.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { uploaderOf } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service, type TestAnswer, TestClient } from "../../support/TestClient.ts"
import { offered } from "../access/downloading.ts"
import { begin } from "../sessions/sessionWorld.ts"

const HALF = `5${"0".repeat(29)}`

/** A paid Post with a file, and the requests that a payment under a quote answers. */
const things = ["the Post", "its file", "a tip"] as const
type Thing = (typeof things)[number]

const published = Effect.flatMap(NanoLedgerMemory, (ledger) => ledger.published)

/** Two wallets, a thing to pay for, and one 402 for which each of them signs a block. */
const world = Effect.fnUntraced(function* (thing: Thing, number: number) {
  yield* begin
  const client = yield* TestClient
  const { file, id } = yield* offered(yield* uploaderOf(number))
  const ask = (payment?: string) => {
    const headers = payment === undefined ? {} : { "payment-signature": payment }
    if (thing === "a tip")
      return client.send("POST", `/api/posts/${id}/tips`, { headers, body: { amountRaw: HALF } })
    const path = thing === "the Post" ? "access" : `attachments/${file}`
    return client.send("GET", `/api/posts/${id}/${path}`, { headers })
  }
  const terms = fromBase64((yield* ask()).headers.get("payment-required"))
  const [{ amount, payTo }] = terms.accepts
  const payments = yield* Effect.forEach([number + 1, number + 2], (wallet) =>
    Effect.gen(function* () {
      const payer = yield* payerOf(wallet)
      yield* payer.fund()
      const block = yield* payer.send(NanoAddress.make(payTo), BigInt(amount))
      return { hash: blockHash(block), payment: base64Json(payloadOf(terms, block)) }
    })
  )
  return { ask, first: payments[0]!, second: payments[1]! }
})

/** Returns what an answer says of the block of its request: in the header, and in the body if it has one. */
const said = (answer: TestAnswer) => {
  assert.strictEqual(answer.status, 200, answer.text)
  const { charged, success, transaction } = outcomeOf(answer)
  assert.isTrue(success)
  if (answer.body?.access !== undefined) assert.strictEqual(answer.body.access.charged, charged)
  if (answer.body?.settlement !== undefined) assert.deepStrictEqual(answer.body.settlement, outcomeOf(answer))
  return { charged, transaction }
}

layer(service(database("test_payments_second_blocks")))("a second block under one quote", (it) => {
  for (const [index, thing] of things.entries()) {
    it.effect(`A second block under the settled quote of ${thing} is not charged, and the first one is`, () =>
      Effect.gen(function* () {
        const { ask, first, second } = yield* world(thing, 1 + 10 * index)
        const before = (yield* published).length
        const paid = { charged: true, transaction: first.hash }
        assert.deepStrictEqual(said(yield* inTime(ask(first.payment))), paid)
        const other = { charged: false, transaction: first.hash }
        assert.deepStrictEqual(said(yield* inTime(ask(second.payment))), other)
        // Repeats of either say the same.
        assert.deepStrictEqual(said(yield* inTime(ask(second.payment))), other)
        assert.deepStrictEqual(said(yield* inTime(ask(first.payment))), paid)
        assert.strictEqual((yield* published).length, before + 1)
      })
    )

    it.effect(
      `Of two simultaneous blocks under one quote of ${thing}, the one that was sent is charged`,
      () =>
        Effect.gen(function* () {
          const { ask, first, second } = yield* world(thing, 5 + 10 * index)
          const before = (yield* published).length
          const answers = yield* inTime(
            Effect.forEach([first, second], ({ payment }) => ask(payment), { concurrency: 2 })
          )
          const sent = (yield* published).slice(before).map(blockHash)
          assert.lengthOf(sent, 1)
          assert.deepStrictEqual(
            answers.map(said),
            [first, second].map(({ hash }) => ({ charged: hash === sent[0], transaction: sent[0] }))
          )
        })
    )
  }
})
