import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as NanoLedgerOff from "../../../layers/nano/NanoLedgerOff.ts"
import { NanoLedger } from "../../../src/platform/ports/NanoLedger.ts"
import { authorOf } from "../../support/actors/author.ts"
import { access, buyerOf, inTime, payloadOf, base64Json } from "../../support/actors/buyer.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { paidPost } from "./paidPost.ts"

const off = service(database("test_payments_access_off"), 1, {
  changePorts: (ports) => Layer.provideMerge(NanoLedgerOff.layer("nano:mainnet", 0n), ports)
})

layer(off)("a service without a ledger", (it) => {
  it.effect("A service without a ledger sells nothing, and answers all other reads", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const { id } = yield* author.published(paidPost)
      const { id: free } = yield* author.published()
      for (const answer of [yield* access(id), yield* access(id, { payment: base64Json({}) })]) {
        assert.include([400, 503], answer.status)
        assert.isNull(answer.headers.get("payment-required"))
      }
      assert.strictEqual((yield* access(id)).body.data.code, "payments_disabled")
      assert.strictEqual((yield* access(id, { token: author.accessToken })).status, 200)
      assert.strictEqual((yield* access(free)).status, 200)
    })
  )
})

/** The ledger of the test, which calls itself the one for development. */
const development = service(database("test_payments_access_development"), 1, {
  changePorts: (ports) =>
    Layer.provideMerge(
      Layer.effect(
        NanoLedger,
        Effect.map(NanoLedger, (ledger) =>
          NanoLedger.of({ ...ledger, kind: "development", network: "nano:dev", workThreshold: 0n })
        )
      ),
      ports
    )
})

layer(development)("a ledger for development", (it) => {
  it.effect("Every answer about money of a development ledger is marked", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const { id } = yield* author.published(paidPost)
      const required = yield* access(id)
      assert.strictEqual(required.headers.get("x-pennypress-ledger"), "development")
      assert.strictEqual(required.body.data.ledger, "development")
      assert.strictEqual(required.body.accepts[0].network, "nano:dev")
      assert.strictEqual(required.body.accepts[0].extra.work, "optional")
      const { block, terms } = yield* (yield* buyerOf(2)).sign(id)
      const payment = base64Json(payloadOf(terms, block))
      const bought = yield* inTime(access(id, { payment }))
      assert.strictEqual(bought.status, 200, bought.text)
      assert.strictEqual(bought.headers.get("x-pennypress-ledger"), "development")
      assert.strictEqual(bought.body.settlement.network, "nano:dev")
    })
  )
})

layer(service(database("test_payments_access_rates"), 1, { rateLimitFactor: 1 }))("limits", (it) => {
  it.effect("Payments are limited by address, and repeats of an accepted one are not counted", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const { id } = yield* author.published(paidPost)
      const buyer = yield* buyerOf(2)
      const { payment } = yield* buyer.buy(id)
      yield* TestClock.adjust("1 minute")
      const { payload } = yield* buyer.sign((yield* author.published(paidPost)).id)
      const wrong = base64Json({ ...payload, accepted: { ...payload.accepted, scheme: "upto" } })
      for (let times = 0; times < 100; times++)
        assert.strictEqual((yield* access(id, { payment })).status, 200)
      const { id: other } = yield* author.published(paidPost)
      for (let times = 0; times < 60; times++)
        assert.strictEqual((yield* access(other, { payment: wrong })).status, 402)
      const refused = yield* access(other, { payment: wrong })
      assert.deepStrictEqual([refused.status, refused.body.data.code], [429, "rate_limited"])
      assert.isNotNull(refused.headers.get("retry-after"))
      assert.strictEqual((yield* access(id, { payment })).status, 200)
    })
  )
})
