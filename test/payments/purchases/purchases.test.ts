import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { RAW_PER_XNO } from "../../../schemas/platform/Nano.ts"
import { authorOf } from "../../support/actors/author.ts"
import { access, buyerOf } from "../../support/actors/buyer.ts"
import { walletOf } from "../../support/actors/owner.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { database } from "../../support/Database.ts"
import { service, type TestAnswer, TestClient } from "../../support/TestClient.ts"
import { paidPost } from "../access/paidPost.ts"

const HALF = RAW_PER_XNO / 2n

const refusalOf = ({ body, status }: TestAnswer) => [status, body.data?.code]

const sellerOf = Effect.fnUntraced(function* (number: number) {
  const author = yield* authorOf(number)
  const { id } = yield* author.published(paidPost)
  return { author, id: id as string, payTo: author.wallet.account }
})

const claim = Effect.fnUntraced(function* (token: string, body: object) {
  return yield* (yield* TestClient).send("POST", "/api/v1/purchases/claims", { token, body })
})

layer(service(database("test_payments_purchases")))("purchases", (it) => {
  it.effect("Purchases are listed newest first, page by page, and read only by their owner", () =>
    Effect.gen(function* () {
      const { author, id: first } = yield* sellerOf(1)
      const reader = yield* readerOf(2)
      const { accessToken: token } = reader
      const buyer = yield* buyerOf(3)
      const { id: second } = yield* author.published({ ...paidPost, title: "Second" })
      const { id: third } = yield* author.published({ ...paidPost, title: "Third" })
      yield* buyer.buy(first, { token })
      yield* buyer.buy(second, { token })
      // The login wallet pays without the account: the account owns that, too.
      yield* (yield* buyerOf(2)).buy(third)

      const page = yield* reader.send("GET", "/api/v1/purchases?limit=2")
      assert.deepStrictEqual(
        page.body.data.map(({ postId }: { postId: string }) => postId),
        [third, second]
      )
      const { hasMore, nextCursor } = page.body.pagination
      assert.isTrue(hasMore)
      const rest = yield* reader.send("GET", `/api/v1/purchases?limit=2&cursor=${nextCursor}`)
      assert.deepStrictEqual(
        rest.body.data.map(({ postId }: { postId: string }) => postId),
        [first]
      )
      assert.isFalse(rest.body.pagination.hasMore)
      assert.strictEqual((yield* reader.send("GET", "/api/v1/purchases?cursor=1.a.b")).status, 422)

      const [bought] = rest.body.data
      assert.strictEqual(bought.priceRaw, HALF.toString())
      assert.strictEqual(bought.payer, buyer.account)
      assert.strictEqual(bought.payTo, author.wallet.account)
      assert.deepStrictEqual([bought.channel, bought.state, bought.refundedRaw], ["x402", "settled", "0"])
      assert.strictEqual(bought.accessUrl, `https://press.test/api/posts/${first}/access`)
      assert.deepStrictEqual((yield* reader.send("GET", `/api/v1/purchases/${bought.id}`)).body, bought)
      const other = yield* readerOf(4)
      assert.strictEqual((yield* other.send("GET", `/api/v1/purchases/${bought.id}`)).status, 404)
      assert.deepStrictEqual((yield* other.send("GET", "/api/v1/purchases")).body.data, [])
      // A Publishing key is no reader.
      const client = yield* TestClient
      assert.strictEqual((yield* client.send("GET", "/api/v1/purchases", { token: author.key })).status, 401)
    })
  )

  it.effect(
    "A search finds own purchases by words of title and author, as the search of Posts compares them",
    () =>
      Effect.gen(function* () {
        const { author } = yield* sellerOf(50)
        const { author: second } = yield* sellerOf(51)
        const reader = yield* readerOf(52)
        const other = yield* readerOf(53)
        const buyer = yield* buyerOf(54)
        const buy = Effect.fnUntraced(function* (of: typeof author, title: string, token: string) {
          const { id } = yield* of.published({ ...paidPost, title })
          assert.strictEqual((yield* buyer.buy(id, { token })).answer.status, 200)
        })
        yield* buy(author, "Crème brûlée at home", reader.accessToken)
        yield* buy(second, "At home with snake_case", reader.accessToken)
        yield* buy(author, "喫茶店の朝", reader.accessToken)
        yield* buy(author, "At home, of another reader", other.accessToken)
        const found = Effect.fnUntraced(function* (q: string, more = "") {
          const answer = yield* reader.send("GET", `/api/v1/purchases?q=${encodeURIComponent(q)}${more}`)
          assert.strictEqual(answer.status, 200, answer.text)
          return answer.body
        })
        const titles = (q: string) =>
          Effect.map(found(q), ({ data }) => data.map((it: any) => it.post.title.slice(0, 7)))
        assert.deepStrictEqual(yield* titles("CREME brulee"), ["Crème b"])
        assert.deepStrictEqual(yield* titles("home"), ["At home", "Crème b"])
        assert.deepStrictEqual(yield* titles("home -snake"), ["Crème b"])
        assert.deepStrictEqual(yield* titles("snake_case"), ["At home"])
        assert.deepStrictEqual(yield* titles("茶店"), ["喫茶店の朝"])
        assert.deepStrictEqual(yield* titles(`@${second.handle}`), ["At home"])
        for (const q of ["-home", "--home", "h\u00adome"])
          assert.deepStrictEqual(yield* titles(q), ["At home", "Crème b"], q)
        for (const q of ["nowhere", "…", "'; drop table purchases"])
          assert.deepStrictEqual(yield* titles(q), [], q)
        const first = yield* found("home", "&limit=1")
        const { nextCursor } = first.pagination
        assert.strictEqual(
          (yield* found("home", `&limit=1&cursor=${nextCursor}`)).data[0].post.title,
          "Crème brûlée at home"
        )
        for (const query of [
          `cursor=${nextCursor}`,
          `q=other&cursor=${nextCursor}`,
          "q=",
          "q=%20",
          `q=${"x".repeat(201)}`
        ])
          assert.strictEqual((yield* reader.send("GET", `/api/v1/purchases?${query}`)).status, 422, query)
      })
  )

  it.effect("A purchase without an account is read by its receipt, and taken into one account", () =>
    Effect.gen(function* () {
      const { author, id } = yield* sellerOf(5)
      const buyer = yield* buyerOf(6)
      const { answer } = yield* buyer.buy(id)
      const { purchaseId } = answer.body.access
      const { token: receiptToken } = answer.body.receipt
      const client = yield* TestClient
      const read = (path: string, receipt: string) =>
        client.send("GET", `/api/purchases/${path}`, { headers: { "x-purchase-receipt": receipt } })
      const purchase = yield* read(purchaseId, receiptToken)
      assert.strictEqual(purchase.status, 200, purchase.text)
      assert.strictEqual(purchase.body.id, purchaseId)
      assert.deepStrictEqual(refusalOf(yield* read(purchaseId, "ppr_a_b")), [403, "receipt_invalid"])
      assert.deepStrictEqual(refusalOf(yield* read(id, receiptToken)), [403, "receipt_invalid"])

      const reader = yield* readerOf(7)
      const { accessToken: token } = reader
      assert.deepStrictEqual(refusalOf(yield* claim(token, { receiptToken: "ppr_a_b" })), [
        403,
        "receipt_invalid"
      ])
      for (let times = 0; times < 2; times++) {
        const claimed = yield* claim(token, { receiptToken })
        assert.strictEqual(claimed.status, 200, claimed.text)
        assert.deepStrictEqual(claimed.body, purchase.body)
      }
      const [owned] = (yield* reader.send("GET", "/api/v1/purchases")).body.data
      assert.strictEqual(owned.id, purchaseId)
      assert.strictEqual((yield* access(id, { token })).body.access.via, "purchase")
      const { accessToken: other } = yield* readerOf(8)
      assert.deepStrictEqual(refusalOf(yield* claim(other, { receiptToken })), [409, "already_owned"])
      // The receipt still reads.
      assert.strictEqual((yield* access(id, { receipt: receiptToken })).status, 200)

      // An account that has the Post takes no second purchase of it.
      yield* (yield* buyerOf(9)).buy(id, { token: other })
      const { answer: third } = yield* (yield* buyerOf(10)).buy(id)
      const again = yield* claim(other, { receiptToken: third.body.receipt.token })
      assert.deepStrictEqual(refusalOf(again), [409, "already_owned"])
      assert.strictEqual(author.handle, "author5")
    })
  )

  it.effect("Blocks that were sent outside of a checkout claim their purchases", () =>
    Effect.gen(function* () {
      const { author, id, payTo } = yield* sellerOf(11)
      const { accessToken: token } = yield* readerOf(12)
      const buyer = yield* buyerOf(12)
      const stranger = yield* buyerOf(13)
      const client = yield* TestClient

      // Too little, another recipient, and another wallet.
      const wrong = [
        yield* buyer.pay(payTo, HALF - 1n),
        yield* buyer.pay(stranger.account, HALF),
        yield* stranger.pay(payTo, HALF)
      ]
      for (const { hash } of wrong) {
        const refused = yield* claim(token, { postId: id, blockHash: hash })
        assert.deepStrictEqual(refusalOf(refused), [422, "claim_mismatch"])
      }
      // A block that the ledger does not have, or has not confirmed, may still pay.
      const ledger = yield* NanoLedgerMemory
      yield* ledger.confirmAfter("never")
      const sent = yield* buyer.pay(payTo, HALF)
      for (const hash of ["0".repeat(64), sent.hash]) {
        const early = yield* claim(token, { postId: id, blockHash: hash })
        assert.deepStrictEqual(refusalOf(early), [409, "block_unconfirmed"])
        assert.deepStrictEqual([early.headers.get("retry-after"), early.body.data.retryAfter], ["2", 2])
      }
      yield* ledger.confirm(sent.hash)
      yield* ledger.confirmAfter(0)
      const unknown = yield* claim(token, { postId: author.wallet.account, blockHash: "0".repeat(64) })
      assert.strictEqual(unknown.status, 422)
      const missing = yield* claim(token, {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000000",
        blockHash: "0".repeat(64)
      })
      assert.deepStrictEqual(refusalOf(missing), [404, "not_found"])

      // Money to a former address of the author counts.
      const { hash } = yield* buyer.pay(payTo, HALF + 1n)
      yield* client.send("PUT", "/api/v1/profile/payout-address", {
        token: author.accessToken,
        body: { payoutAddress: walletOf(14).account }
      })
      yield* ledger.setAway(true)
      assert.deepStrictEqual(refusalOf(yield* claim(token, { postId: id, blockHash: hash })), [
        503,
        "ledger_unavailable"
      ])
      yield* ledger.setAway(false)
      const claimed = yield* claim(token, { postId: id, blockHash: hash.toLowerCase() })
      assert.strictEqual(claimed.status, 201, claimed.text)
      assert.strictEqual(claimed.body.channel, "claim")
      assert.strictEqual(claimed.body.amountRaw, String(HALF + 1n))
      assert.strictEqual(claimed.body.transaction, hash)
      assert.strictEqual((yield* access(id, { token })).body.access.via, "purchase")

      assert.deepStrictEqual(refusalOf(yield* claim(token, { postId: id, blockHash: hash })), [
        409,
        "already_owned"
      ])
      const { id: other } = yield* author.published({ ...paidPost, title: "Other" })
      assert.deepStrictEqual(refusalOf(yield* claim(token, { postId: other, blockHash: hash })), [
        409,
        "block_already_used"
      ])
    })
  )

  it.effect("A block older than 30 days claims no purchase", () =>
    Effect.gen(function* () {
      const { id, payTo } = yield* sellerOf(15)
      const buyer = yield* buyerOf(16)
      const { hash } = yield* buyer.pay(payTo, HALF)
      yield* TestClock.adjust("31 days")
      const { accessToken: token } = yield* readerOf(16)
      const refused = yield* claim(token, { postId: id, blockHash: hash })
      assert.deepStrictEqual(refusalOf(refused), [422, "claim_mismatch"])
    })
  )
})
