import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Author, authorOf } from "../../support/actors/author.ts"
import { access, buyerOf, outcomeOf } from "../../support/actors/buyer.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { database } from "../../support/Database.ts"
import { service, type TestAnswer, TestClient } from "../../support/TestClient.ts"
import { paidPost, SECRET } from "./paidPost.ts"

/** The status of an answer and the reason of the access, or the code of the refusal. */
const seen = ({ body, status }: TestAnswer) => [status, body.access?.via ?? body.data.code]

const textOf = ({ body }: TestAnswer): string | null => body.post.content.paid

/** Publishes a paid Post and sells it to a wallet without an account. */
const sold = Effect.fnUntraced(function* (author: Author, buyerNumber: number) {
  const { id } = yield* author.published(paidPost)
  const buyer = yield* buyerOf(buyerNumber)
  const { answer, payment } = yield* buyer.buy(id)
  assert.strictEqual(answer.status, 200, answer.text)
  return { id: id as string, buyer, payment, receipt: answer.body.receipt.token as string, answer }
})

layer(service(database("test_payments_access_entitlements")))("readers of a Post", (it) => {
  it.effect("Everyone reads a free Post, with any credential", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const { id } = yield* author.published({ paidContentMarkdown: "And more.", enablePaywall: false })
      const answer = yield* access(id)
      assert.deepStrictEqual(seen(answer), [200, "free"])
      assert.strictEqual(textOf(answer), "And more.")
      assert.deepStrictEqual(answer.body.access, {
        via: "free",
        purchaseId: null,
        versionSha256: null,
        charged: false
      })
      assert.isNull(answer.body.settlement)
      assert.isNull(answer.headers.get("payment-response"))
      assert.deepStrictEqual(seen(yield* access(id, { receipt: "ppr_unknown" })), [200, "free"])
      assert.deepStrictEqual(seen(yield* access(id, { payment: "no payment" })), [200, "free"])
    })
  )

  it.effect("An author reads their own Post", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(2)
      const { id } = yield* author.published(paidPost)
      const answer = yield* access(id, { token: author.accessToken })
      assert.deepStrictEqual(seen(answer), [200, "author"])
      assert.strictEqual(textOf(answer), SECRET)
    })
  )

  it.effect("An account that bought a Post reads it without its payment and its receipt", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(3)
      const { id } = yield* author.published(paidPost)
      const { accessToken: token } = yield* readerOf(4)
      const buyer = yield* buyerOf(5)
      const { answer, payment } = yield* buyer.buy(id, { token })
      assert.deepStrictEqual(seen(answer), [200, "purchase"])
      assert.isTrue(answer.body.access.charged)

      const later = yield* access(id, { token })
      assert.deepStrictEqual(seen(later), [200, "purchase"])
      assert.strictEqual(later.body.access.purchaseId, answer.body.access.purchaseId)
      assert.isNull(later.body.settlement)
      // Its header is a proof of its own.
      const replay = yield* access(id, { payment })
      assert.deepStrictEqual(seen(replay), [200, "payment"])
      assert.deepStrictEqual(replay.body.receipt, answer.body.receipt)
    })
  )

  it.effect("An account whose wallet paid without it reads the Post", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(6)
      const { id } = yield* sold(author, 7)
      const { accessToken } = yield* readerOf(7)
      const { accessToken: other } = yield* readerOf(8)
      assert.deepStrictEqual(seen(yield* access(id, { token: accessToken })), [200, "purchase"])
      assert.deepStrictEqual(seen(yield* access(id, { token: other })), [402, "payment_required"])
    })
  )

  it.effect("A receipt of another Post and a revoked receipt give no access", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(9)
      const first = yield* sold(author, 10)
      const other = yield* sold(author, 11)
      const answer = yield* access(first.id, { receipt: first.receipt })
      assert.deepStrictEqual(seen(answer), [200, "receipt"])
      assert.strictEqual(answer.body.access.purchaseId, first.answer.body.access.purchaseId)
      assert.isNull(answer.body.receipt)

      for (const receipt of [other.receipt, `${first.receipt}0`, "ppr_", ""]) {
        const refused = yield* access(first.id, { receipt })
        assert.deepStrictEqual(seen(refused), [403, "receipt_invalid"])
        assert.notInclude(refused.text, "secret")
      }
      // Never a 402, which an agent would pay, even beside a payment.
      const { payment } = yield* other.buyer.sign(first.id)
      assert.deepStrictEqual(seen(yield* access(first.id, { receipt: other.receipt, payment })), [
        403,
        "receipt_invalid"
      ])
      const sql = yield* SqlClient.SqlClient
      yield* sql`update access_receipts set revoked_at = created_at where post_id = ${first.id}`
      assert.deepStrictEqual(seen(yield* access(first.id, { receipt: first.receipt })), [
        403,
        "receipt_invalid"
      ])
    })
  )

  it.effect("An unknown gift token and a credential that is not a reader's give no access", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(12)
      const { id } = yield* author.published(paidPost)
      const gift = yield* access(id, { headers: { "x-gift-token": "ppg_a_b" } })
      assert.deepStrictEqual(seen(gift), [403, "gift_invalid"])
      for (const token of [author.key, "no-token", ""]) {
        const refused = yield* access(id, { headers: { authorization: `Bearer ${token}` } })
        assert.strictEqual(refused.status, 401, token)
        assert.strictEqual(refused.headers.get("www-authenticate"), "Bearer")
      }
      const client = yield* TestClient
      yield* client.send("POST", "/api/v1/auth/logout", { token: author.accessToken })
      assert.strictEqual((yield* access(id, { token: author.accessToken })).status, 401)
    })
  )

  it.effect("A withdrawn Post is read only by its buyers", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(13)
      const { id, payment, receipt } = yield* sold(author, 14)
      const { accessToken: token } = yield* readerOf(14)
      yield* author.unpublish(id)
      assert.deepStrictEqual(seen(yield* access(id)), [404, "not_found"])
      assert.deepStrictEqual(seen(yield* access(id, { receipt: "ppr_unknown" })), [404, "not_found"])
      assert.deepStrictEqual(seen(yield* access(id, { payment: "no payment" })), [404, "not_found"])
      for (const answer of [
        yield* access(id, { receipt }),
        yield* access(id, { payment }),
        yield* access(id, { token })
      ]) {
        assert.strictEqual(answer.status, 200, answer.text)
        assert.strictEqual(textOf(answer), SECRET)
        assert.isNull(answer.body.post.url)
      }
      for (const unknown of ["0190f3c2-7b1e-7c4a-9d52-000000000000", "no-id"]) {
        assert.deepStrictEqual(seen(yield* access(unknown)), [404, "not_found"])
      }
    })
  )

  it.effect("A buyer reads the Post as it is now, or as it was sold", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(15)
      const { id, receipt } = yield* sold(author, 16)
      yield* author.patch(id, { paidContentMarkdown: "A better secret.", title: "Better" })
      const now = yield* access(id, { receipt })
      assert.strictEqual(textOf(now), "A better secret.")
      assert.strictEqual(now.body.post.version, "current")
      const then = yield* access(id, { receipt }, "GET", "?version=purchased")
      assert.strictEqual(textOf(then), SECRET)
      assert.strictEqual(then.body.post.title, "Paid")
      assert.strictEqual(then.body.post.version, "purchased")
      // A reader who bought nothing has no version of their own.
      const own = yield* access(id, { token: author.accessToken }, "GET", "?version=purchased")
      assert.strictEqual(own.body.post.version, "current")

      const wrong = yield* access(id, { receipt }, "GET", "?version=oldest")
      assert.deepStrictEqual(seen(wrong), [422, "validation"])
    })
  )

  it.effect("A buyer reads the Post as it was sold after the author emptied it", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(17)
      const { id, receipt } = yield* sold(author, 18)
      const emptied = yield* author.patch(id, { paidContentMarkdown: null, enablePaywall: false })
      assert.strictEqual(emptied.status, 200, emptied.text)
      const answer = yield* access(id, { receipt })
      assert.deepStrictEqual(seen(answer), [200, "receipt"])
      assert.strictEqual(textOf(answer), SECRET)
      assert.strictEqual(answer.body.post.version, "purchased")
      assert.isNull(textOf(yield* access(id)))
    })
  )

  it.effect("HEAD answers like a GET without a payment, and charges nothing", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(19)
      const { id } = yield* author.published(paidPost)
      const buyer = yield* buyerOf(20)
      const { block, payment } = yield* buyer.sign(id)
      const head = yield* access(id, { payment }, "HEAD")
      assert.strictEqual(head.status, 402)
      assert.strictEqual(head.text, "")
      assert.isNotNull(head.headers.get("payment-required"))
      assert.isNull(head.headers.get("payment-response"))
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select id from settlements where post_id = ${id}`, [])
      assert.strictEqual((yield* buyer.send(author.wallet.account, 1n)).previous, block.previous)
      assert.strictEqual((yield* access(id, { token: author.accessToken }, "HEAD")).status, 200)
    })
  )

  it.effect("A reader who has access and sends a payment is not charged", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(21)
      const { answer: first, buyer, id, receipt } = yield* sold(author, 22)
      const { payload, payment } = yield* (yield* buyerOf(23)).sign(id)
      assert.strictEqual(payload.x402Version, 2)
      const answer = yield* access(id, { receipt, payment })
      assert.deepStrictEqual(seen(answer), [200, "receipt"])
      assert.isFalse(answer.body.access.charged)
      assert.strictEqual(answer.body.settlement.transaction, first.body.settlement.transaction)
      assert.strictEqual(outcomeOf(answer).payer, buyer.account)
      const own = yield* access(id, { token: author.accessToken, payment })
      assert.deepStrictEqual(seen(own), [200, "author"])
      assert.deepStrictEqual(outcomeOf(own), {
        success: true,
        transaction: "",
        network: "nano:mainnet",
        amount: "0",
        charged: false
      })
    })
  )
})
