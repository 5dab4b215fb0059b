import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { download, offered } from "../payments/access/downloading.ts"
import { SECRET, paidPost } from "../payments/access/paidPost.ts"
import { claim, gift, issue, readWith, redeem } from "../payments/gifts/giving.ts"
import { authorOf } from "../support/actors/author.ts"
import { access, base64Json, buyerOf, fromBase64, inTime, payloadOf } from "../support/actors/buyer.ts"
import { readerOf } from "../support/actors/reader.ts"
import { uploaderOf } from "../support/actors/uploader.ts"
import { database } from "../support/Database.ts"
import { service, TestClient } from "../support/TestClient.ts"
import { recorder } from "./recorder.ts"
import { assertAbsent, dump } from "./search.ts"

layer(service(database("test_nothing_secret_payments")))("the secrets of a payment", (it) => {
  it.effect("No secret of a payment appears in logs, spans, tables or errors, nor the text it buys", () =>
    Effect.gen(function* () {
      const { seen, watched } = recorder()
      const offer = yield* offered(yield* uploaderOf(1))
      const { id } = offer
      const buyer = yield* buyerOf(2)
      const sql = yield* SqlClient.SqlClient
      const client = yield* TestClient

      const refusals: Array<string> = []
      const { secrets } = yield* Effect.gen(function* () {
        const { block, payload, payment, terms } = yield* buyer.sign(id)
        const bought = yield* inTime(access(id, { payment }))
        assert.strictEqual(bought.status, 200, bought.text)
        const receipt: string = bought.body.receipt.token
        const { purchaseId } = bought.body.access
        const quote: string = terms.accepts[0].extra.intentId
        yield* access(id, { receipt })
        yield* access(id, { payment })
        const file = yield* download(offer, { "payment-signature": payment })
        assert.strictEqual(file.headers.get("x-purchase-receipt"), receipt)
        yield* client.send("GET", `/api/purchases/${purchaseId}`, {
          headers: { "x-purchase-receipt": receipt }
        })

        // Refusals: another content, a public block under a fresh quote, a database that fails.
        const fresh = fromBase64((yield* access(id)).headers.get("payment-required"))
        const refused = [
          access(id, { payment: `${payment.slice(0, -8)}!!` }),
          access(id, { payment: base64Json(payloadOf(fresh, block)) }),
          access(id, { receipt: `${receipt}0` })
        ]
        for (const each of refused) refusals.push((yield* inTime(each)).text)
        yield* sql`alter table access_receipts rename to away`
        for (const each of [access(id, { payment }), access(id, { receipt })]) {
          const died = yield* each
          assert.strictEqual(died.status, 500, died.text)
          refusals.push(died.text)
        }
        yield* sql`alter table away rename to access_receipts`
        assert.strictEqual(payload.x402Version, 2)
        return { secrets: [payment, quote, quote.slice(-43), receipt, receipt.slice(-43)] }
      }).pipe(Effect.provide(watched))

      assertAbsent(secrets, "tables", yield* dump)
      const { logs, spans } = seen()
      assert.include(logs.join("\n"), "A request crashed")
      assert.isAbove(spans.length, 20)
      for (const [where, texts] of [
        ["logs", logs],
        ["spans", spans],
        ["error answers", refusals]
      ] as const)
        assertAbsent([...secrets, SECRET], where, texts)
    })
  )
})

layer(service(database("test_nothing_secret_gifts")))("the secrets of a gift", (it) => {
  it.effect("No secret of a gift appears in logs, spans, tables or error answers, nor its text", () =>
    Effect.gen(function* () {
      const { seen, watched } = recorder()
      const author = yield* authorOf(1)
      const { id } = yield* author.published(paidPost)
      const { accessToken } = yield* readerOf(2)
      const sql = yield* SqlClient.SqlClient

      const refusals: Array<string> = []
      const { secrets } = yield* Effect.gen(function* () {
        const { token } = yield* gift(author, id, { maxRedemptions: 2 })
        const key = "a-random-name-of-the-redemption"
        const given = yield* readWith(id, token, key)
        const receipt: string = given.body.receipt.token
        yield* redeem(accessToken, token)
        const { accessToken: late } = yield* readerOf(3)
        assert.strictEqual((yield* claim(late, receipt)).status, 200)

        // Refusals: a wrong token, a gift that is used up, a database that fails.
        const wrong = `${token.slice(0, -2)}00`
        const refused = [
          readWith(id, wrong),
          readWith(id, token),
          redeem(accessToken, wrong),
          redeem(accessToken, `${token} `),
          claim(accessToken, receipt),
          claim(late, receipt.slice(0, -1))
        ]
        for (const each of refused) refusals.push((yield* each).text)
        yield* sql`alter table gifts rename to away`
        for (const each of [
          readWith(id, token, key),
          redeem(accessToken, token),
          claim(late, receipt),
          issue(author, { postId: id })
        ]) {
          const died = yield* each
          assert.strictEqual(died.status, 500, died.text)
          refusals.push(died.text)
        }
        yield* sql`alter table away rename to gifts`
        return { secrets: [token, token.slice(-43), receipt, receipt.slice(-43), key, wrong] }
      }).pipe(Effect.provide(watched))

      assertAbsent(secrets, "tables", yield* dump)
      const { logs, spans } = seen()
      assert.include(logs.join("\n"), "A request crashed")
      for (const [where, texts] of [
        ["logs", logs],
        ["spans", spans],
        ["error answers", refusals]
      ] as const)
        assertAbsent([...secrets, SECRET], where, texts)
    })
  )
})
