import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ReceiptInvalid } from "../../../schemas/payments/access/errors.ts"
import { PaymentRequired } from "../../../schemas/payments/x402/errors.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { PostId, PurchaseId } from "../../../schemas/platform/Ids.ts"
import { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { makeClient } from "../../../src/client/PennypressClient.ts"
import { authorOf } from "../../support/actors/author.ts"
import { base64Json, buyerOf, inTime, payloadOf } from "../../support/actors/buyer.ts"
import { database } from "../../support/Database.ts"
import { throughRoutes } from "../../support/derivedClient.ts"
import { BASE_URL, service } from "../../support/TestClient.ts"
import { paidPost, SECRET } from "./paidPost.ts"

layer(service(database("test_payments_access_derived_client")))("the derived client", (it) => {
  it.effect("The client reads the terms of a 402 as a value, pays, and reads by its receipt", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const postId = PostId.make((yield* author.published(paidPost)).id)
      const buyer = yield* buyerOf(2)
      const client = yield* makeClient({ baseUrl: BASE_URL })
      const read = (headers: Parameters<typeof client.access.read>[0]["headers"]) =>
        client.access.read({ params: { postId }, query: {}, headers })

      const required = yield* Effect.flip(read({}))
      if (!(required instanceof PaymentRequired)) return assert.fail(`${required}`)
      const [{ amount, payTo }] = required.terms.accepts
      const block = yield* buyer.send(NanoAddress.make(payTo), BigInt(amount))
      const payment = base64Json(payloadOf(required.terms, block))
      const { access, post, receipt, settlement } = yield* inTime(read({ "payment-signature": payment }))
      assert.strictEqual(post.content.paid, SECRET)
      assert.deepStrictEqual([access.via, access.charged], ["payment", true])
      assert.strictEqual(settlement?.success, true)
      const token = receipt?.token ?? ""
      assert.strictEqual((yield* read({ "x-purchase-receipt": token })).access.via, "receipt")
      assert.instanceOf(yield* Effect.flip(read({ "x-purchase-receipt": "ppr_a_b" })), ReceiptInvalid)

      const purchaseId = access.purchaseId ?? PurchaseId.make(postId)
      const purchase = yield* client.purchaseByReceipt.read({
        params: { purchaseId },
        headers: { "x-purchase-receipt": token }
      })
      assert.strictEqual(purchase.postId, postId)
      yield* author.unpublish(postId)
      assert.instanceOf(yield* Effect.flip(read({})), NotFound)
    }).pipe(Effect.provide(throughRoutes))
  )
})
