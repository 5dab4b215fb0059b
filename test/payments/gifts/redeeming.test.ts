import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { access, buyerOf, outcomeOf } from "../../support/actors/buyer.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { paidPost, SECRET } from "../access/paidPost.ts"
import { gift, list, readWith, redeem, revoke, seen } from "./giving.ts"

const redemptionsOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly counted: number; readonly saved: number }>`
    select redemptions as counted, (select count(*)::int from gift_redemptions r where r.gift_id = g.id) as saved
    from gifts g where id = ${id}`
  assert.strictEqual(row?.counted, row?.saved)
  return row?.counted
})

layer(service(database("test_gifts_redeeming")))("the redemption of a gift", (it) => {
  it.effect("An account redeems a gift once, and reads the Post from then on", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const { id: postId } = yield* author.published(paidPost)
      const { id, token } = yield* gift(author, postId, { maxRedemptions: 2 })
      const reader = yield* readerOf(2)
      const first = yield* redeem(reader.accessToken, token)
      assert.strictEqual(first.status, 200, first.text)
      const { redeemedAt } = first.body
      assert.deepStrictEqual(first.body, { postId, via: "gift", redeemedAt })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual((yield* redeem(reader.accessToken, token)).body, first.body)
      assert.strictEqual(yield* redemptionsOf(id), 1)

      const read = yield* access(postId, { token: reader.accessToken })
      assert.deepStrictEqual(seen(read), [200, "gift"])
      assert.deepStrictEqual(read.body.access, {
        via: "gift",
        purchaseId: null,
        versionSha256: null,
        charged: false
      })
      assert.strictEqual(read.body.post.content.paid, SECRET)
      assert.isNull(read.body.receipt)
      // The token with the account redeems for the account: here again, and for another.
      const headers = { "x-gift-token": token }
      yield* access(postId, { token: reader.accessToken, headers })
      assert.strictEqual(yield* redemptionsOf(id), 1)
      const other = yield* readerOf(3)
      const shown = yield* access(postId, { token: other.accessToken, headers })
      assert.deepStrictEqual(seen(shown), [200, "gift"])
      assert.isNull(shown.body.receipt)
      assert.deepStrictEqual(seen(yield* access(postId, { token: other.accessToken })), [200, "gift"])
      assert.strictEqual(yield* redemptionsOf(id), 2)

      const { accessToken: late } = yield* readerOf(4)
      assert.deepStrictEqual(seen(yield* redeem(late, token)), [410, "gift_exhausted"])
      assert.deepStrictEqual(seen(yield* readWith(postId, token)), [410, "gift_exhausted"])
      assert.strictEqual((yield* redeem(reader.accessToken, token)).status, 200)
      assert.strictEqual((yield* list(author)).body.data[0].state, "exhausted")
    })
  )

  it.effect("A reader without an account redeems a gift for a receipt", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(5)
      const { id: postId } = yield* author.published(paidPost)
      const { id, token } = yield* gift(author, postId, { maxRedemptions: 3 })
      const first = yield* readWith(postId, token, "lost-answer-1")
      assert.deepStrictEqual(seen(first), [200, "gift"])
      assert.strictEqual(first.body.post.content.paid, SECRET)
      assert.isNull(first.body.settlement)
      assert.isNull(first.headers.get("payment-response"))
      const { receipt } = first.body
      assert.match(receipt.token, /^ppr_[0-9A-Za-z]{22}_[0-9A-Za-z]{43}$/)
      assert.deepStrictEqual([receipt.purchaseId, receipt.expiresAt], [null, null])
      // The answer was lost: the same key gets the same one.
      assert.deepStrictEqual((yield* readWith(postId, token, "lost-answer-1")).body, first.body)
      assert.strictEqual(yield* redemptionsOf(id), 1)
      const byReceipt = yield* access(postId, { receipt: receipt.token })
      assert.deepStrictEqual(seen(byReceipt), [200, "gift"])
      assert.isNull(byReceipt.body.receipt)

      // Another key, and each use without one, counts.
      const second = yield* readWith(postId, token, "lost-answer-2")
      const third = yield* readWith(postId, token)
      const tokens = [first, second, third].map(({ body }) => body.receipt.token)
      assert.strictEqual(new Set(tokens).size, 3)
      assert.strictEqual(yield* redemptionsOf(id), 3)
      for (const each of tokens)
        assert.deepStrictEqual(seen(yield* access(postId, { receipt: each })), [200, "gift"])
      assert.deepStrictEqual(seen(yield* readWith(postId, token, "lost-answer-4")), [410, "gift_exhausted"])
      assert.deepStrictEqual(seen(yield* readWith(postId, token, "lost-answer-1")), [200, "gift"])

      // It is the receipt of no other Post, and of no purchase.
      const { id: other } = yield* author.published(paidPost)
      assert.deepStrictEqual(seen(yield* access(other, { receipt: tokens[0] })), [403, "receipt_invalid"])
      const { accessToken } = yield* readerOf(6)
      const client = yield* TestClient
      const claim = { token: accessToken, body: { receiptToken: tokens[0] } }
      assert.deepStrictEqual(refusalOf(yield* client.send("POST", "/api/v1/purchases/claims", claim)), [
        403,
        "receipt_invalid"
      ])
      // Many keys of one form, and keys of no form.
      for (const key of ["k".repeat(256), "a b", ""])
        assert.strictEqual((yield* readWith(postId, token, key)).status, 422, key)
    })
  )

  it.effect("An Idempotency-Key of a redemption counts only for its gift", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(7)
      const { id: postId } = yield* author.published(paidPost)
      const one = yield* gift(author, postId)
      const other = yield* gift(author, postId)
      const [a, b] = [yield* readWith(postId, one.token, "key"), yield* readWith(postId, other.token, "key")]
      assert.notStrictEqual(a.body.receipt.token, b.body.receipt.token)
      assert.deepStrictEqual([yield* redemptionsOf(one.id), yield* redemptionsOf(other.id)], [1, 1])
    })
  )

  it.effect("A wrong gift token is refused in the same way for every reason", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(8)
      const { id: postId } = yield* author.published(paidPost)
      const { id: other } = yield* author.published(paidPost)
      const { id: draft } = yield* author.draft(paidPost)
      const { id, token } = yield* gift(author, postId)
      const { token: elsewhere } = yield* gift(author, other)
      const { accessToken } = yield* readerOf(9)
      const wrong = [
        "",
        "ppg_",
        "ppr_a_b",
        `${token}0`,
        ` ${token}`,
        token.slice(0, -1),
        `${token.slice(0, -1)}${token.endsWith("0") ? "1" : "0"}`,
        `${token.slice(0, 26)}_${elsewhere.slice(-43)}`,
        `ppg_${"z".repeat(22)}_${token.slice(-43)}`,
        token.replaceAll("_", "-"),
        token.toUpperCase(),
        `${token}\0`,
        "' or 1=1 --",
        "ppg_".repeat(40)
      ]
      const texts = new Set<string>()
      for (const each of wrong) {
        const answer = yield* redeem(accessToken, each)
        if (each.includes("\0")) assert.strictEqual(answer.status, 422)
        else {
          assert.deepStrictEqual(seen(answer), [403, "gift_invalid"], each)
          texts.add(answer.text)
        }
        // HTTP has no such header values.
        if (each.includes("\0") || each.startsWith(" ")) continue
        const read = yield* readWith(postId, each, "key")
        assert.deepStrictEqual(seen(read), [403, "gift_invalid"], each)
        assert.notInclude(read.text, "secret")
        texts.add(read.text)
        // It tells a draft from nothing as little as any other request does.
        assert.deepStrictEqual(seen(yield* readWith(draft, each)), [404, "not_found"])
      }
      assert.strictEqual(texts.size, 1)
      assert.deepStrictEqual(seen(yield* readWith(postId, elsewhere)), [403, "gift_invalid"])
      for (const body of ["", null, 5, {}, ["a"], "a".repeat(201)])
        assert.strictEqual(
          (yield* redeem(accessToken, body)).status,
          body === "" ? 403 : 422,
          JSON.stringify(body)
        )
      assert.strictEqual(yield* redemptionsOf(id), 0)
      assert.deepStrictEqual(seen(yield* readWith(postId, token)), [200, "gift"])
    })
  )

  it.effect("A gift is redeemed until it expires, and read after that", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(10)
      const { id: postId } = yield* author.published(paidPost)
      const at = yield* Clock.currentTimeMillis
      const expiresAt = new Date(at + 60_000).toISOString()
      const { id, token } = yield* gift(author, postId, { maxRedemptions: 9, expiresAt })
      yield* TestClock.setTime(at + 59_999)
      const { accessToken } = yield* readerOf(11)
      yield* TestClock.setTime(at + 59_999)
      assert.deepStrictEqual(seen(yield* access(postId, { token: accessToken })), [402, "payment_required"])
      assert.strictEqual((yield* redeem(accessToken, token)).status, 200)
      const first = yield* readWith(postId, token, "in-time")
      yield* TestClock.setTime(at + 60_000)
      assert.deepStrictEqual(seen(yield* readWith(postId, token)), [410, "gift_expired"])
      assert.deepStrictEqual(seen(yield* redeem((yield* readerOf(12)).accessToken, token)), [
        410,
        "gift_expired"
      ])
      assert.strictEqual((yield* list(author)).body.data[0].state, "expired")
      assert.strictEqual((yield* redeem(accessToken, token)).status, 200)
      assert.deepStrictEqual(seen(yield* access(postId, { token: accessToken })), [200, "gift"])
      assert.deepStrictEqual((yield* readWith(postId, token, "in-time")).body, first.body)
      assert.strictEqual((yield* revoke(author, id)).body.state, "revoked")
    })
  )

  it.effect("A gift waits while its Post is withdrawn or free, and outlives both once it is redeemed", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(13)
      const { id: postId } = yield* author.published(paidPost)
      const { id, token } = yield* gift(author, postId, { maxRedemptions: 9 })
      const { accessToken } = yield* readerOf(14)
      const { accessToken: late } = yield* readerOf(15)
      yield* redeem(accessToken, token)
      const { body } = yield* readWith(postId, token, "early")
      const receipt: string = body.receipt.token

      yield* author.unpublish(postId)
      const withdrawn = yield* readWith(postId, token)
      assert.deepStrictEqual(seen(withdrawn), [410, "post_withdrawn"])
      assert.include(withdrawn.body.message, "while the Post is published")
      assert.deepStrictEqual(seen(yield* redeem(late, token)), [410, "post_withdrawn"])
      const own = { token: author.accessToken, headers: { "x-gift-token": token } }
      assert.strictEqual((yield* access(postId, own)).status, 410)
      for (const read of [
        yield* access(postId, { token: accessToken }),
        yield* access(postId, { receipt }),
        yield* readWith(postId, token, "early")
      ]) {
        assert.deepStrictEqual(seen(read), [200, "gift"])
        assert.strictEqual(read.body.post.content.paid, SECRET)
        assert.isNull(read.body.post.url)
      }
      yield* author.publish(postId, "again")
      assert.strictEqual(yield* redemptionsOf(id), 2)

      yield* author.patch(postId, { enablePaywall: false })
      assert.deepStrictEqual(seen(yield* readWith(postId, token)), [200, "free"])
      assert.deepStrictEqual(seen(yield* redeem(late, token)), [409, "post_is_free"])
      assert.strictEqual((yield* redeem(accessToken, token)).status, 200)
      assert.strictEqual(yield* redemptionsOf(id), 2)
      yield* author.patch(postId, { enablePaywall: true, priceXno: "0.5" })
      assert.strictEqual((yield* redeem(late, token)).status, 200)

      // A moderator restricts the author.
      const sql = yield* SqlClient.SqlClient
      yield* sql`update owners set restricted_at = created_at where handle = ${author.handle}`
      assert.deepStrictEqual(seen(yield* readWith(postId, token)), [410, "post_withdrawn"])
      assert.deepStrictEqual(seen(yield* access(postId, { receipt })), [200, "gift"])
    })
  )

  it.effect("A gift is not used up by its author, by a buyer, or by HEAD", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(16)
      const { id: postId } = yield* author.published(paidPost)
      const { id, token } = yield* gift(author, postId, { maxRedemptions: 9 })
      const headers = { "x-gift-token": token }
      assert.deepStrictEqual(seen(yield* access(postId, { token: author.accessToken, headers })), [
        200,
        "author"
      ])
      const refused = yield* redeem(author.accessToken, token)
      assert.deepStrictEqual(seen(refused), [409, "already_purchased"])
      assert.include(refused.body.message, "The gift was not redeemed")

      const buyer = yield* buyerOf(17)
      const { answer, payment } = yield* buyer.buy(postId)
      assert.strictEqual(answer.status, 200, answer.text)
      const { accessToken } = yield* readerOf(17)
      assert.deepStrictEqual(seen(yield* access(postId, { token: accessToken, headers })), [200, "purchase"])
      assert.deepStrictEqual(seen(yield* redeem(accessToken, token)), [409, "already_purchased"])
      assert.deepStrictEqual(seen(yield* access(postId, { payment, headers })), [200, "payment"])
      const receipt: string = answer.body.receipt.token
      assert.deepStrictEqual(seen(yield* access(postId, { receipt, headers })), [200, "receipt"])
      assert.deepStrictEqual(seen(yield* access(postId, { receipt: "ppr_no", headers })), [
        403,
        "receipt_invalid"
      ])
      assert.strictEqual((yield* readWith(postId, token, "key", "HEAD")).status, 402)
      assert.strictEqual(yield* redemptionsOf(id), 0)

      // A reader by gift is never charged.
      const { payment: unsent } = yield* (yield* buyerOf(18)).sign(postId)
      const given = yield* access(postId, { payment: unsent, headers })
      assert.deepStrictEqual(seen(given), [200, "gift"])
      assert.isFalse(given.body.access.charged)
      // Nor is one whose gift is refused: an agent would take a 402 for a price.
      const ended = { "x-gift-token": token }
      yield* revoke(author, id)
      const refusedGift = yield* access(postId, { payment: unsent, headers: ended })
      assert.deepStrictEqual(seen(refusedGift), [410, "gift_revoked"])
      assert.deepStrictEqual(
        [outcomeOf(refusedGift).success, outcomeOf(refusedGift).errorReason],
        [false, "gift_revoked"]
      )
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`select id from settlements where post_id = ${postId}`, 1)
    })
  )

  it.effect("A gift gives way to a purchase, whose buyer reads what was sold", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(19)
      const { id: postId } = yield* author.published(paidPost)
      const { token } = yield* gift(author, postId)
      const reader = yield* readerOf(20)
      yield* redeem(reader.accessToken, token)
      // Paid without the account, by a wallet that is then found to be its own.
      const { answer } = yield* (yield* buyerOf(20)).buy(postId)
      assert.strictEqual(answer.status, 200, answer.text)
      yield* author.patch(postId, { paidContentMarkdown: null, enablePaywall: false })
      const read = yield* access(postId, { token: reader.accessToken })
      assert.deepStrictEqual(seen(read), [200, "purchase"])
      assert.strictEqual(read.body.post.content.paid, SECRET)
    })
  )

  it.effect("A gift is not a sale, counts nowhere, and its reader has purchased nothing", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(21)
      const { id: postId } = yield* author.published(paidPost)
      const { token } = yield* gift(author, postId)
      const reader = yield* commenterOf(22)
      yield* redeem(reader.accessToken, token)
      const client = yield* TestClient
      const { body: summary } = yield* client.send("GET", "/api/v1/finance/summary", {
        token: author.accessToken
      })
      assert.deepStrictEqual([summary.sales.count, summary.receivedRaw], [0, "0"])
      const comment = yield* reader.say(postId, "Thank you")
      assert.isFalse(comment.hasPurchased)
      const sql = yield* SqlClient.SqlClient
      const counted = yield* sql`
        select coalesce((select n.purchases from post_counts n where n.post_id = p.id), 0) as purchases,
          (select count(*)::int from settlements s where s.post_id = p.id) as settlements,
          (select count(*)::int from earnings_daily where owner_id = p.owner_id) as earnings
        from posts p where p.id = ${postId}`
      assert.deepStrictEqual(counted, [{ purchases: 0, settlements: 0, earnings: 0 }])
      assert.lengthOf(
        (yield* client.send("GET", "/api/v1/purchases", { token: reader.accessToken })).body.data,
        0
      )
    })
  )

  it.effect("A gift goes with its Post, which may be deleted", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(23)
      const { id: postId } = yield* author.published(paidPost)
      const { id, token } = yield* gift(author, postId, { maxRedemptions: 3 })
      const { accessToken } = yield* readerOf(24)
      yield* redeem(accessToken, token)
      const { body } = yield* readWith(postId, token)
      yield* author.unpublish(postId)
      assert.strictEqual((yield* author.remove(postId)).status, 204)
      assert.deepStrictEqual(seen(yield* access(postId, { receipt: body.receipt.token })), [404, "not_found"])
      assert.deepStrictEqual(seen(yield* redeem(accessToken, token)), [403, "gift_invalid"])
      assert.lengthOf((yield* list(author)).body.data, 0)
      assert.deepStrictEqual(refusalOf(yield* revoke(author, id)), [404, "not_found"])
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select id from access_receipts where post_id = ${postId}`, [])
      assert.deepStrictEqual(yield* sql`select id from gift_redemptions where post_id = ${postId}`, [])
    })
  )
})

layer(service(database("test_gifts_limits"), 1, { rateLimitFactor: 1 }))("wrong gift tokens", (it) => {
  it.effect("Wrong tokens are limited to 30 a minute for an address, and right ones are not", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const { id: postId } = yield* author.published(paidPost)
      const { token } = yield* gift(author, postId, { maxRedemptions: 9 })
      const from = "192.0.2.7"
      const show = (shown: string, client = from) =>
        access(postId, { from: client, headers: { "x-gift-token": shown } })
      const wrong = `${token.slice(0, -4)}aaaa`
      for (let i = 0; i < 29; i++) assert.strictEqual((yield* show(wrong)).status, 403)
      const { accessToken } = yield* readerOf(2)
      const client = yield* TestClient
      const body = { token: "ppg_" }
      const redeeming = client.send("POST", "/api/v1/gifts/redemptions", { token: accessToken, body, from })
      assert.strictEqual((yield* redeeming).status, 403)
      assert.strictEqual((yield* redeeming).status, 429)
      const refused = yield* show(wrong)
      assert.deepStrictEqual(seen(refused), [429, "rate_limited"])
      assert.isNotNull(refused.headers.get("retry-after"))
      assert.strictEqual((yield* show(token)).status, 200)
      assert.strictEqual((yield* show(wrong, "192.0.2.8")).status, 403)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* show(wrong)).status, 403)
    })
  )
})
