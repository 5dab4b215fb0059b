import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { paid } from "../../payments/finance/selling.ts"
import { ownerIdOf, PRICE_RAW, sellerOf } from "../../payments/settlement/paying.ts"
import { signIn as signInByApi } from "../../support/actors/owner.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { database } from "../../support/Database.ts"
import { statementsOf } from "../../support/statements.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { assertPrivate, browser, type Browser } from "../browser.ts"
import { validated } from "../pages/documents.ts"
import { signIn } from "../signIn.ts"

const pageOf = Effect.fnUntraced(function* (reader: Browser, path: string) {
  const answer = yield* reader.get(path)
  assert.strictEqual(answer.status, 200, answer.text)
  assertPrivate(answer)
  validated(answer.text)
  assert.notInclude(answer.text, "secret")
  return answer.text
})

const readerOf = Effect.fnUntraced(function* (number: number) {
  const reader = yield* browser
  yield* signIn(reader, number)
  return reader
})

/** Returns the titles of the posts on a page, in their order. */
const titlesOf = (text: string) =>
  [...text.matchAll(/href="\/write\/[0-9a-f-]{36}"><bdi>([^<]*)</g)].map(([, title]) => title)

layer(service(database("test_web_desk")))("The desk of an account", (it) => {
  it.effect("An account without a post finds what it reads first, and then what publishing needs", () =>
    Effect.gen(function* () {
      const reader = yield* readerOf(1)
      const text = yield* pageOf(reader, "/desk")
      const order = [
        '/desk/purchases">Purchases</a> <span',
        '/desk/following">Following</a> <span',
        "None unread"
      ]
      const places = [...order, "Choose a name and a handle", "Add a payout address", "New post</a>"].map(
        (words) => text.indexOf(words)
      )
      assert.notInclude(places, -1)
      assert.deepStrictEqual(
        places,
        places.toSorted((a, b) => a - b)
      )
      assert.notInclude(text, "This month")
    })
  )

  it.effect("An author finds the income of the month, unread notifications and the newest five posts", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 9, 31, 23, 59, 59))
      const { another, author, payTo, target } = yield* sellerOf(2)
      const payer = yield* payerOf(3)
      yield* payer.fund()
      yield* paid(payer, { target, payTo, amountRaw: PRICE_RAW })
      yield* TestClock.adjust("1 second")
      const second = yield* another
      yield* paid(payer, { target: second, payTo, amountRaw: PRICE_RAW + 1n })
      for (let n = 0; n < 4; n++) yield* author.draft({ title: `Draft ${n}` })
      const reader = yield* readerOf(2)
      const { answer, statements } = yield* statementsOf(reader.get("/desk"))
      // Two of the session, then the posts, the sums of the month and the notifications.
      assert.lengthOf(statements, 5, statements.join("\n\n"))
      validated(answer.text)
      assert.deepStrictEqual(titlesOf(answer.text), [
        "Draft 3",
        "Draft 2",
        "Draft 1",
        "Draft 0",
        "On pennies"
      ])
      assert.include(answer.text, `<data value="${PRICE_RAW + 1n}">0.25</data> XNO`)
      assert.include(answer.text, "2 unread")
      assert.include(answer.text, "All your posts")
      assert.notInclude(answer.text, "Before you publish")

      const client = yield* TestClient
      const feed = yield* client.send("GET", "/api/v1/notifications", { token: author.accessToken })
      assert.strictEqual(feed.body.unread, 2)
      const choose = (body: object) =>
        client.send("PUT", "/api/v1/notification-preferences", { token: author.accessToken, body })
      yield* choose({ notify_new_purchase_inapp: false })
      assert.include(yield* pageOf(reader, "/desk"), "None unread")
      yield* choose({ notify_new_purchase_inapp: true, in_app_notifications: false })
      assert.include(yield* pageOf(reader, "/desk"), "None unread")
      yield* choose({ in_app_notifications: true })
      assert.include(yield* pageOf(reader, "/desk"), "2 unread")
    })
  )

  it.effect("A restricted account reads none of its pages", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { accessToken } = yield* signInByApi(8)
      const reader = yield* readerOf(8)
      yield* sql`update owners set restricted_at = now() where id = ${yield* ownerIdOf(accessToken)}`
      for (const path of ["/desk", "/desk/posts", "/desk/sales", "/desk/sales.csv"])
        assert.strictEqual((yield* reader.get(path)).status, 403, path)
    })
  )
})
