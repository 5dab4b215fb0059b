import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { paid } from "../../payments/finance/selling.ts"
import { ownerIdOf, PRICE_RAW, sellerOf } from "../../payments/settlement/paying.ts"
import { authorOf } from "../../support/actors/author.ts"
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

  it.effect("Own posts are listed by status and title, with what can be done", () =>
    Effect.gen(function* () {
      const { author, postId } = yield* sellerOf(4)
      yield* author.draft({ title: "Crème brûlée at home" })
      yield* author.draft({ title: "تسع درجات من الاستقامة" })
      yield* author.draft({ title: `${"W".repeat(150)} <b>` })
      const free = yield* author.published({ title: "Free for all" })
      const reader = yield* readerOf(4)
      const { answer, statements } = yield* statementsOf(reader.get("/desk/posts"))
      // Two of the session.
      assert.lengthOf(statements, 3, statements.join("\n\n"))
      validated(answer.text)
      assert.lengthOf(titlesOf(answer.text), 5)
      assert.include(answer.text, "<bdi>تسع درجات من الاستقامة</bdi>")
      assert.include(answer.text, `${"W".repeat(150)} &lt;b&gt;`)
      assert.match(answer.text, /data-copy="https?:\/\/[^"]+\/@[^"]+\/free-for-all"/)
      assert.include(answer.text, `href="/give/${postId}"`)
      assert.notInclude(answer.text, `href="/give/${free.id}"`)
      assert.notInclude(answer.text, `action="/write/${postId}/delete"`)

      const draft = yield* pageOf(reader, "/desk/posts?status=draft")
      assert.lengthOf(titlesOf(draft), 3)
      const published = yield* pageOf(reader, "/desk/posts?status=published")
      assert.deepStrictEqual(titlesOf(published), ["Free for all", "On pennies"])
      for (const [q, titles] of [
        ["creme BRULEE", ["Crème brûlée at home"]],
        ["penn", ["On pennies"]],
        ["استقامه", []],
        ["الاستقامة", ["تسع درجات من الاستقامة"]],
        ["creme -home", []],
        ["-home creme", ["Crème brûlée at home"]],
        ["creme --home", ["Crème brûlée at home"]],
        ["'); drop table posts; --", []],
        ["!!!", []],
        ["x".repeat(5_000), []]
      ] as const) {
        const found = yield* pageOf(reader, `/desk/posts?q=${encodeURIComponent(q)}`)
        assert.deepStrictEqual(titlesOf(found), [...titles], q)
        if (titles.length === 0) assert.include(found, "None of your titles contain all of these words.")
      }
      const both = yield* pageOf(reader, "/desk/posts?q=pennies&status=draft")
      assert.deepStrictEqual(titlesOf(both), [])
      for (const odd of ["status=gone", "after=x", "q=%00", "after=%00&q=+"])
        yield* pageOf(reader, `/desk/posts?${odd}`)

      const other = yield* readerOf(5)
      assert.deepStrictEqual(titlesOf(yield* pageOf(other, "/desk/posts?q=pennies")), [])
      assert.include(
        yield* pageOf(other, `/desk/posts?after=${postId}`),
        "You haven&#39;t written anything yet."
      )
    })
  )

  it.effect("Posts are listed page by page, with their search and status", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(6)
      for (let n = 0; n < 21; n++) yield* author.draft({ title: `Penny ${n}` })
      const reader = yield* readerOf(6)
      const first = yield* pageOf(reader, "/desk/posts?q=penny&status=draft")
      const [, path = ""] = /rel="next" href="([^"]+)"/.exec(first) ?? []
      const second = yield* pageOf(reader, path.replaceAll("&amp;", "&"))
      const titles = [first, second].map(titlesOf)
      assert.deepStrictEqual(
        titles.map(({ length }) => length),
        [20, 1]
      )
      assert.strictEqual(new Set(titles.flat()).size, 21)
      assert.include(second, 'href="/desk/posts?status=draft&amp;q=penny"')
    })
  )

  it.effect("A draft is deleted from the list, and a post that moderators took off the site says so", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const author = yield* authorOf(7)
      const draft = yield* author.draft({ title: "To be deleted" })
      const withdrawn = yield* author.draft({ title: "Withdrawn" })
      const former = yield* author.draft({ title: "Former" })
      yield* sql`update posts set withdrawn_at = now() where id = ${withdrawn.id}`
      yield* sql`update posts set former_published_at = now() where id = ${former.id}`
      const reader = yield* readerOf(7)
      const text = yield* pageOf(reader, "/desk/posts")
      assert.include(text, "Taken off the site by our moderators")
      assert.include(text, "back on the site in a few minutes")
      assert.include(text, `action="/write/${draft.id}/delete"`)
      const deleted = yield* reader.post(`/write/${draft.id}/delete`)
      assert.strictEqual(deleted.status, 303, deleted.text)
      assert.notInclude(yield* pageOf(reader, "/desk/posts"), "To be deleted")
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
