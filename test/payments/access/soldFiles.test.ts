import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { NanoAddress } from "../../../schemas/platform/Nano.ts"
import {
  access,
  base64Json,
  buyerOf,
  fromBase64,
  inTime,
  outcomeOf,
  payloadOf
} from "../../support/actors/buyer.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { uploaderOf } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { deadlocks } from "../../support/deadlocks.ts"
import { changedMeanwhile } from "../../support/deletedMeanwhile.ts"
import { passing } from "../../support/passing.ts"
import { service } from "../../support/TestClient.ts"
import { gift } from "../gifts/giving.ts"
import { begin } from "../sessions/sessionWorld.ts"
import { codeOf, download, type Offer, offered } from "./downloading.ts"
import { SECRET } from "./paidPost.ts"

const DATABASE = "test_payments_sold_files"

/** Signs a payment for a file, and sends nothing. */
const signed = Effect.fnUntraced(function* (number: number, offer: Offer) {
  const buyer = yield* buyerOf(number)
  const terms = fromBase64((yield* download(offer)).headers.get("payment-required"))
  const [{ amount, payTo }] = terms.accepts
  const block = yield* buyer.send(NanoAddress.make(payTo), BigInt(amount))
  return { buyer, block, payment: base64Json(payloadOf(terms, block)) }
})

/** Removes a file in a transaction of another process, with or without its row. */
const removals = {
  deleted: ({ file }: Offer) => `delete from post_attachments where id = '${file}'`,
  "taken off for later buyers": ({ file }: Offer) =>
    `update post_attachments set removed_at = created_at + interval '1 hour' where id = '${file}'`
}
const removal = (offer: Offer, how: keyof typeof removals) => [
  `select from posts where id = '${offer.id}' for update`,
  removals[how](offer),
  `update posts set updated_at = updated_at + interval '1 microsecond' where id = '${offer.id}'`
]

const countOf = Effect.fnUntraced(function* (table: "settlements" | "gift_redemptions", postId: string) {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`select from ${sql(table)} where post_id = ${postId}`).length
})

layer(service(database(DATABASE)))("a file that its author removes", (it) => {
  let number = 1

  for (const how of ["deleted", "taken off for later buyers"] as const)
    it.effect(`A claim that waited until the file was ${how} does not sell it`, () =>
      Effect.gen(function* () {
        yield* begin
        const offer = yield* offered(yield* uploaderOf(number++))
        const { published } = yield* NanoLedgerMemory
        const { block, buyer, payment } = yield* signed(number++, offer)
        const before = yield* published
        const answer = yield* changedMeanwhile(
          DATABASE,
          removal(offer, how),
          download(offer, { "payment-signature": payment })
        )
        assert.deepStrictEqual(codeOf(answer), [402, "requirements_changed"])
        assert.strictEqual(outcomeOf(answer).success, false)
        assert.deepStrictEqual(yield* published, before)
        assert.strictEqual(yield* countOf("settlements", offer.id), 0)

        // The terms are those of the Post now, and the same block pays for it.
        const terms = fromBase64(answer.headers.get("payment-required"))
        assert.isTrue(terms.resource.url.endsWith(`/api/posts/${offer.id}/access`))
        assert.strictEqual(terms.resource.mimeType, "application/json")
        const bought = yield* inTime(access(offer.id, { payment: base64Json(payloadOf(terms, block)) }))
        assert.strictEqual(bought.status, 200, bought.text)
        assert.strictEqual(bought.body.settlement.payer, buyer.account)
      })
    )

  it.effect("A claim that PostgreSQL ends to resolve a deadlock is repeated", () =>
    Effect.gen(function* () {
      yield* begin
      const author = yield* uploaderOf(number++)
      const offer = yield* offered(author)
      const { payment } = yield* signed(number++, offer)
      // The claim holds the Post and waits for its author, so the other transaction waits for the claim.
      const answer = yield* changedMeanwhile(
        DATABASE,
        [`select from owners where handle = '${author.handle}' for update`],
        // Slowly, as PostgreSQL looks for deadlocks after a second of its own.
        inTime(download(offer, { "payment-signature": payment }), 10),
        [`select from posts where id = '${offer.id}' for update`]
      )
      assert.strictEqual(answer.status, 200, answer.text)
      assert.isAbove((yield* deadlocks) ?? 0, 0)
    })
  )

  it.effect("A payment that waits for the frontier of its wallet does not buy a removed file", () =>
    Effect.gen(function* () {
      yield* begin
      const author = yield* uploaderOf(number++)
      const offer = yield* offered(author)
      const { calls, confirm, confirmAfter, published } = yield* NanoLedgerMemory
      const buyer = yield* buyerOf(number++)
      yield* confirmAfter("never")
      const { hash } = yield* buyer.pay(author.wallet.account, 1n)
      const terms = fromBase64((yield* download(offer)).headers.get("payment-required"))
      const [{ amount, payTo }] = terms.accepts
      const block = yield* buyer.send(NanoAddress.make(payTo), BigInt(amount))
      const before = yield* published
      const asked = yield* calls("account")
      const payment = base64Json(payloadOf(terms, block))
      const waiting = yield* Effect.forkChild(download(offer, { "payment-signature": payment }))
      const isAsked = Effect.map(calls("account"), (count) => count > asked)
      yield* passing(0, "the request waits for the frontier", isAsked)
      assert.strictEqual((yield* author.detach(offer.id, offer.file)).status, 200)
      yield* confirmAfter(0)
      yield* confirm(hash)
      assert.deepStrictEqual(codeOf(yield* inTime(Fiber.join(waiting))), [402, "requirements_changed"])
      assert.deepStrictEqual(yield* published, before)
    })
  )

  it.effect("A gift that is redeemed for a file at the moment of its removal stays unused", () =>
    Effect.gen(function* () {
      yield* begin
      const author = yield* uploaderOf(number++)
      for (const how of ["deleted", "taken off for later buyers"] as const) {
        const offer = yield* offered(author)
        const { token } = yield* gift(author, offer.id)
        const answer = yield* changedMeanwhile(
          DATABASE,
          removal(offer, how),
          download(offer, { "x-gift-token": token, "idempotency-key": "a-reader" })
        )
        assert.deepStrictEqual(codeOf(answer), [404, "not_found"], how)
        assert.strictEqual(yield* countOf("gift_redemptions", offer.id), 0, how)
        const { accessToken } = yield* readerOf(number++)
        const other = yield* download(offer, { "x-gift-token": token }, { token: accessToken })
        assert.deepStrictEqual(codeOf(other), [404, "not_found"], how)
        const read = yield* access(offer.id, {
          headers: { "x-gift-token": token, "idempotency-key": "a-reader" }
        })
        assert.strictEqual(read.body.access?.via, "gift", read.text)
      }
    })
  )

  it.effect("A payer who was charged for a removed file gets a 410, and reads the Post", () =>
    Effect.gen(function* () {
      yield* begin
      const author = yield* uploaderOf(number++)
      const offer = yield* offered(author)
      const { payment } = yield* signed(number++, offer)
      const headers = { "payment-signature": payment }
      assert.strictEqual((yield* inTime(download(offer, headers))).status, 200)
      // It was rejected when it was screened once more: it goes for its buyers, too.
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from post_attachments where id = ${offer.file}`
      const answer = yield* download(offer, headers)
      assert.deepStrictEqual(codeOf(answer), [410, "attachment_removed"])
      assert.strictEqual(outcomeOf(answer).success, true)
      const receipt = answer.headers.get("x-purchase-receipt") ?? ""
      for (const proof of [{ payment }, { receipt }]) {
        const { body, text } = yield* access(offer.id, proof)
        assert.strictEqual(body.post?.content.paid, SECRET, text)
      }
      // Without a payment there is nothing to tell.
      const byReceipt = yield* download(offer, { "x-purchase-receipt": receipt })
      assert.deepStrictEqual(codeOf(byReceipt), [404, "not_found"])
    })
  )
})
