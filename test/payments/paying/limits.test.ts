import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { authorOf } from "../../support/actors/author.ts"
import { access, base64Json, buyerOf, fromBase64, outcomeOf } from "../../support/actors/buyer.ts"
import { wireBlock } from "../../support/actors/payer.ts"
import { database } from "../../support/Database.ts"
import { service, type TestAnswer, TestClient } from "../../support/TestClient.ts"
import { paidPost } from "../access/paidPost.ts"

const codeOf = ({ body, status }: TestAnswer) => [status, body.data?.code ?? null]

/** Returns the different answers to a request that is sent this many times, from one address. */
const answersOf = <R>(times: number, request: Effect.Effect<TestAnswer, never, R>) =>
  Effect.map(Effect.replicateEffect(request, times, { concurrency: 10 }), (answers) => [
    ...new Set(answers.map((answer) => codeOf(answer).join(" ")))
  ])

layer(service(database("test_payments_limits"), 1, { rateLimitFactor: 1 }))("The limit of payments", (it) => {
  it.effect("Each address sends 60 payments in a minute, and repeats of a settled one do not count", () =>
    Effect.gen(function* () {
      const { id } = yield* (yield* authorOf(1)).published(paidPost)
      const other = yield* (yield* authorOf(2)).published(paidPost)
      const buyer = yield* buyerOf(3)
      const from = "192.0.2.1"
      const { answer, payment } = yield* buyer.buy(id, { from })
      assert.strictEqual(answer.status, 200, answer.text)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* answersOf(70, access(id, { from, payment })), ["200 "])

      const elsewhere = access(other.id, { from, payment })
      assert.deepStrictEqual(yield* answersOf(60, elsewhere), ["402 requirements_mismatch"])
      const refused = yield* elsewhere
      assert.deepStrictEqual(codeOf(refused), [429, "rate_limited"])
      assert.strictEqual(outcomeOf(refused).errorReason, "rate_limited")
      assert.deepStrictEqual(codeOf(yield* access(id, { from, payment })), [200, null])
      assert.deepStrictEqual(codeOf(yield* access(other.id, { from: "192.0.2.2", payment })), [
        402,
        "requirements_mismatch"
      ])
    })
  )

  it.effect("A tip that its payer gives to themselves counts, too", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(4)
      const { id } = yield* author.published(paidPost)
      const buyer = yield* buyerOf(5)
      const client = yield* TestClient
      const tip = (request: object) =>
        client.send("POST", `/api/posts/${id}/tips`, {
          body: { amountXno: "1" },
          from: "192.0.2.3",
          ...request
        })
      const [offer] = fromBase64((yield* tip({})).headers.get("payment-required")).accepts
      const block = yield* buyer.send(NanoAddress.make(offer.payTo), BigInt(offer.amount))
      const headers = {
        "payment-signature": base64Json({
          x402Version: 2,
          accepted: offer,
          payload: { block: wireBlock(block) }
        })
      }
      const own = tip({ headers, token: author.accessToken })
      assert.deepStrictEqual(yield* answersOf(60, own), ["409 own_target"])
      assert.deepStrictEqual(codeOf(yield* own), [429, "rate_limited"])
    })
  )

  it.effect("Each wallet signs 30 payments in a minute, from any address", () =>
    Effect.gen(function* () {
      const { id } = yield* (yield* authorOf(6)).published(paidPost)
      const buyer = yield* buyerOf(7)
      const { payload, terms } = yield* buyer.sign(id)
      const [{ amount, payTo }] = terms.accepts
      const short = yield* buyer.send(NanoAddress.make(payTo), BigInt(amount) - 1n)
      const payment = base64Json({ ...payload, payload: { block: wireBlock(short) } })
      let address = 0
      const request = Effect.suspend(() => access(id, { from: `198.51.100.${++address}`, payment }))
      assert.deepStrictEqual(yield* answersOf(30, request), ["402 amount_mismatch"])
      assert.deepStrictEqual(codeOf(yield* request), [429, "rate_limited"])
      // A wallet that has not signed is not counted.
      const { signature } = payload.payload.block
      const forged = base64Json({ ...payload, payload: { block: { ...wireBlock(short), signature } } })
      assert.deepStrictEqual(codeOf(yield* access(id, { from: "198.51.100.99", payment: forged })), [
        402,
        "invalid_signature"
      ])
      const another = yield* (yield* buyerOf(8)).buy(id, { from: "198.51.100.1" })
      assert.strictEqual(another.answer.status, 200, another.answer.text)
      assert.isTrue(outcomeOf(another.answer).success)
    })
  )
})
