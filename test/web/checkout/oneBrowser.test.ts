import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { lookNow, lookSoon, sale } from "../../payments/sessions/sessionWorld.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { type Browser, browser } from "../browser.ts"
import { signIn } from "../signIn.ts"
import { begin, termsOf } from "./checkouts.ts"

/** The sales of a Post, and the second payments that bought nothing. */
const sold = Effect.fnUntraced(function* (postId: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly sales: number; readonly duplicates: number }>`
    select (select count(*)::int4 from purchases where post_id = ${postId}) as sales,
      (select count(*)::int4 from settlements where post_id = ${postId} and duplicate) as duplicates`
  return row
})

/** Returns where a browser is led from a page. */
const next = (reader: Browser, path: string) =>
  Effect.map(reader.get(path), ({ headers }) => headers.get("location"))

layer(service(database("test_web_one_browser")))("What one browser pays for", (it) => {
  it.effect("All tabs of a browser pay the same session of a Post while it waits", () =>
    Effect.gen(function* () {
      const shop = yield* sale
      const other = yield* sale
      const reader = yield* browser
      const path = yield* begin(reader, shop.postId)
      assert.strictEqual(yield* begin(reader, shop.postId), path)
      const first = yield* begin(reader, other.postId)
      yield* reader.post(`${first}/cancel`)
      const tabs = yield* Effect.all(
        Array.from({ length: 8 }, () => begin(reader, other.postId)),
        { concurrency: 8 }
      )
      assert.strictEqual(new Set(tabs).size, 1)
      assert.notStrictEqual(tabs[0], first)
      const stranger = yield* browser
      assert.notStrictEqual(yield* begin(stranger, shop.postId), path)
      // So do two browsers of one account.
      const [laptop, phone] = [yield* browser, yield* browser]
      yield* signIn(laptop, 940)
      yield* signIn(phone, 940)
      assert.strictEqual(yield* begin(laptop, shop.postId), yield* begin(phone, shop.postId))
    })
  )

  it.effect("A payment of any session of a browser opens the text, and a second one is a duplicate", () =>
    Effect.gen(function* () {
      const shop = yield* sale
      const read = `/read/${shop.postId}`
      const reader = yield* browser
      const first = yield* begin(reader, shop.postId)
      const terms = termsOf((yield* reader.get(first)).text)
      yield* TestClock.adjust("16 minutes")
      const second = yield* begin(reader, shop.postId)
      assert.notStrictEqual(second, first)
      const again = termsOf((yield* reader.get(second)).text)
      yield* shop.payer.pay(terms.payTo, terms.amount)
      yield* TestClock.adjust("10 minutes")
      yield* lookNow
      // The page that waits for the other session goes on.
      assert.strictEqual((yield* reader.get(`${second}/status?state=open`)).body.next, second)
      assert.strictEqual(yield* next(reader, second), `${read}#rest`)
      assert.strictEqual(yield* next(reader, first), `${read}#rest`)
      assert.strictEqual((yield* reader.post(`${read}/buy`)).headers.get("location"), read)
      assert.include((yield* reader.get(read)).text, "Paid")
      yield* shop.payer.pay(again.payTo, again.amount)
      yield* TestClock.adjust("10 minutes")
      yield* lookNow
      assert.deepStrictEqual(yield* sold(shop.postId), { sales: 1, duplicates: 1 })
      assert.strictEqual(yield* next(reader, second), `${read}#rest`)
    })
  )

  it.effect("A second payment is a duplicate after the first was added to an account", () =>
    Effect.gen(function* () {
      const shop = yield* sale
      const read = `/read/${shop.postId}`
      const reader = yield* browser
      const first = yield* begin(reader, shop.postId)
      const terms = termsOf((yield* reader.get(first)).text)
      yield* reader.post(`${first}/cancel`)
      const second = yield* begin(reader, shop.postId)
      const again = termsOf((yield* reader.get(second)).text)
      yield* shop.payer.pay(again.payTo, again.amount)
      yield* lookSoon
      yield* signIn(reader, 941, read)
      assert.strictEqual((yield* reader.post(`${read}/account`)).headers.get("location"), read)
      yield* shop.payer.pay(terms.payTo, terms.amount)
      yield* TestClock.adjust("10 minutes")
      yield* lookNow
      assert.deepStrictEqual(yield* sold(shop.postId), { sales: 1, duplicates: 1 })
    })
  )

  it.effect("Payments of two sessions that are found together are a sale and a duplicate", () =>
    Effect.gen(function* () {
      const shop = yield* sale
      const reader = yield* browser
      const first = yield* begin(reader, shop.postId)
      const terms = termsOf((yield* reader.get(first)).text)
      yield* shop.author.patch(shop.postId, { priceXno: "0.3" })
      const second = yield* begin(reader, shop.postId)
      const page = yield* reader.get(second)
      assert.include(page.text, "Pay 0.3 XNO")
      const again = termsOf(page.text)
      yield* shop.payer.pay(terms.payTo, terms.amount)
      yield* shop.payer.pay(again.payTo, again.amount)
      yield* lookSoon
      assert.deepStrictEqual(yield* sold(shop.postId), { sales: 1, duplicates: 1 })
      for (const path of [first, second])
        assert.strictEqual(yield* next(reader, path), `/read/${shop.postId}#rest`)
    })
  )

  it.effect("The first payments of a browser that begin together both open their texts", () =>
    Effect.gen(function* () {
      const shops = yield* Effect.all([sale, sale])
      const reader = yield* browser
      const paths = yield* Effect.forEach(shops, ({ postId }) => {
        reader.jar.delete("__Host-pennypress-buyer /")
        return begin(reader, postId)
      })
      for (const [i, { payer, postId }] of shops.entries()) {
        const { amount, payTo } = termsOf((yield* reader.get(paths[i]!)).text)
        yield* payer.pay(payTo, amount)
        yield* lookSoon
        assert.strictEqual(yield* next(reader, paths[i]!), `/read/${postId}#rest`)
      }
      for (const { postId } of shops) assert.include((yield* reader.get(`/read/${postId}`)).text, "Paid")
    })
  )

  it.effect("A payment that began before its reader signed in is the account's once it is opened again", () =>
    Effect.gen(function* () {
      const shop = yield* sale
      const [reader, phone, stranger] = [yield* browser, yield* browser, yield* browser]
      const path = yield* begin(reader, shop.postId)
      yield* signIn(reader, 942)
      assert.strictEqual(yield* begin(reader, shop.postId), path)
      const { amount, payTo } = termsOf((yield* reader.get(path)).text)
      yield* shop.payer.pay(payTo, amount)
      yield* lookSoon
      yield* signIn(phone, 942)
      for (const it of [reader, phone]) assert.include((yield* it.get(`/read/${shop.postId}`)).text, "Paid")
      assert.strictEqual((yield* stranger.get(`/read/${shop.postId}`)).status, 403)
    })
  )

  it.effect("A session that closed before its payment was confirmed is not opened again", () =>
    Effect.gen(function* () {
      const shop = yield* sale
      const reader = yield* browser
      const path = yield* begin(reader, shop.postId)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update payment_sessions set state = 'seen', is_live = false, seen_hash = token_hash where post_id = ${shop.postId}`
      assert.notStrictEqual(yield* begin(reader, shop.postId), path)
    })
  )

  it.effect("One small cookie opens all that a browser bought, and is all that its requests carry", () =>
    Effect.gen(function* () {
      const reader = yield* browser
      const shops = yield* Effect.all(Array.from({ length: 25 }, () => sale))
      for (const { payer, postId } of shops) {
        const { amount, payTo } = termsOf((yield* reader.get(yield* begin(reader, postId))).text)
        yield* payer.pay(payTo, amount)
      }
      yield* lookSoon
      for (const { postId } of shops) assert.include((yield* reader.get(`/read/${postId}`)).text, "Paid")
      assert.deepStrictEqual(
        [...reader.jar.values()].map(({ name, value }) => [name, value.length]),
        [["__Host-pennypress-buyer", 43]]
      )
      // The address of the page of a payment is of no use in another browser.
      const other = yield* browser
      yield* begin(other, (yield* sale).postId)
      for (const { postId } of shops) assert.strictEqual((yield* other.get(`/read/${postId}`)).status, 403)
    })
  )
})
