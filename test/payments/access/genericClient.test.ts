import { assert, layer } from "@effect/vitest"
import { decodePaymentResponseHeader } from "@x402/core/http"
import { type SchemeNetworkClient, wrapFetchWithPaymentFromConfig } from "@x402/fetch"
import { Effect } from "effect"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { NanoAddress, RAW_PER_XNO } from "../../../schemas/platform/Nano.ts"
import type { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import { blockHash } from "../../../src/platform/nano/blocks.ts"
import { authorOf } from "../../support/actors/author.ts"
import { access, buyerOf, inTime } from "../../support/actors/buyer.ts"
import { carryOn } from "../../support/actors/carryOn.ts"
import { wireBlock } from "../../support/actors/payer.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { paidPost, SECRET } from "./paidPost.ts"

/** A `fetch` of this service that remembers the payments it sent. */
const rememberingFetch = Effect.gen(function* () {
  const context = yield* Effect.context<TestClient>()
  const payments: Array<string> = []
  const remembering: typeof fetch = async (input, init) => {
    const { headers, method, url } = new Request(input, init)
    const payment = headers.get("payment-signature")
    if (payment !== null) payments.push(payment)
    const { pathname } = new URL(url)
    const send = Effect.flatMap(TestClient, (client) =>
      client.send(method, pathname, { headers: Object.fromEntries(headers) })
    )
    const { headers: answered, status, text } = await Effect.runPromiseWith(context)(send)
    return new Response(text, { status, headers: answered })
  }
  return { remembering, payments }
})

layer(service(database("test_payments_access_generic_client")))("the reference client of x402", (it) => {
  it.effect("The client meets a 503 while its block settles, and reads with the same header afterwards", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const { id } = yield* author.published(paidPost)
      const buyer = yield* buyerOf(2)
      const ledger = yield* NanoLedgerMemory
      yield* ledger.confirmAfter("never")
      const { payments, remembering } = yield* rememberingFetch
      const hashes: Array<BlockHash> = []
      const context = yield* Effect.context<NanoLedgerMemory>()
      const client: SchemeNetworkClient = {
        scheme: "exact",
        createPaymentPayload: async (x402Version, { amount, payTo }) => {
          const send = buyer.send(NanoAddress.make(payTo), BigInt(amount))
          const block = await Effect.runPromiseWith(context)(send)
          hashes.push(blockHash(block))
          return { x402Version, payload: { block: wireBlock(block) } }
        }
      }
      const paying = wrapFetchWithPaymentFromConfig(remembering, {
        schemes: [{ network: "nano:mainnet", client }],
        spendControls: {
          allowedAssets: [{ network: "nano:mainnet", asset: "XNO", maxAmountPerPayment: String(RAW_PER_XNO) }]
        }
      })
      const pending = yield* inTime(
        Effect.promise(async () => paying(`https://press.test/api/posts/${id}/access`))
      )
      assert.strictEqual(pending.status, 503)
      assert.strictEqual(pending.headers.get("retry-after"), "2")
      const told = decodePaymentResponseHeader(pending.headers.get("payment-response") ?? "")
      const [hash = assert.fail("no block was signed")] = hashes
      assert.deepInclude(told, { success: false, transaction: hash })

      yield* ledger.confirmAfter(0)
      yield* ledger.confirm(hash)
      yield* carryOn
      const [payment = ""] = payments
      const bought = yield* inTime(access(id, { payment }))
      assert.deepStrictEqual([bought.status, bought.body.post.content.paid], [200, SECRET])
      assert.isTrue(bought.body.access.charged)
      assert.lengthOf(payments, 1)
      assert.lengthOf(hashes, 1)
    })
  )
})
