import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { EmailAddress, mailboxOf } from "../../../schemas/platform/EmailAddress.ts"
import { OwnerId } from "../../../schemas/platform/Ids.ts"
import { Subscribers } from "../../../src/engagement/subscribers/Subscribers.ts"
import { makeSubscriptionTokens } from "../../../src/engagement/subscribers/subscriptionTokens.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { mailsTo } from "../../support/mailbox.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { begin } from "../notifications/mails/mailing.ts"
import { ask, confirmLinks, open, subscribed } from "./readers.ts"

const stateOf = Effect.fnUntraced(function* (email: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly state: string }>`select state from subscribers where address = ${email}`
  return rows.map(({ state }) => state).join()
})

layer(service(database("test_subscribing"), 1, { rateLimitFactor: 1 }))("a subscription by mail", (it) => {
  it.effect("A subscription begins with the link of a mail, which GET opens without a change", () =>
    Effect.gen(function* () {
      yield* begin
      const { handle } = yield* authorOf(1)
      const email = "ada@example.org"
      const answer = yield* ask(handle, email)
      assert.strictEqual(answer.status, 202)
      const [mail] = yield* mailsTo(email)
      assert.match(mail?.subject ?? "", /^Confirm your subscription to /)
      const [link = ""] = yield* confirmLinks(email)
      for (const method of ["GET", "HEAD", "GET"]) assert.strictEqual((yield* open(method, link)).status, 200)
      assert.strictEqual(yield* stateOf(email), "pending")
      for (const _ of [1, 2]) assert.strictEqual((yield* open("POST", link)).status, 200)
      assert.strictEqual(yield* stateOf(email), "active")
      assert.include((yield* open("GET", link)).text, "We&#39;ll email you each new post")
    })
  )

  it.effect(
    "A subscription has the same answer for every state of an address, and writes the same rows",
    () =>
      Effect.gen(function* () {
        yield* begin
        const sql = yield* SqlClient.SqlClient
        const { handle } = yield* authorOf(2)
        yield* subscribed(handle, "active@example.org")
        yield* ask(handle, "pending@example.org")
        const rows = Effect.map(
          sql<{ readonly n: number }>`select count(*)::int as n from mails`,
          ([row]) => row?.n ?? 0
        )
        const bodies = new Set<string>()
        for (const email of ["new@example.org", "pending@example.org", "active@example.org"]) {
          const before = yield* rows
          const { status, text } = yield* ask(handle, email, { from: "198.51.100.7" })
          assert.strictEqual(status, 202)
          bodies.add(text)
          assert.strictEqual(yield* rows, before + 1, email)
        }
        assert.lengthOf([...bodies], 1)
        assert.lengthOf(yield* confirmLinks("new@example.org"), 1)
        assert.lengthOf(yield* confirmLinks("pending@example.org"), 1)
        assert.lengthOf(yield* confirmLinks("active@example.org"), 1)
      })
  )

  it.effect("A mailbox with many tags is asked three times in a day", () =>
    Effect.gen(function* () {
      yield* begin
      let mails = 0
      for (const n of [3, 4, 5, 6, 7]) {
        const email = `bombed+${n}@example.org`
        const { status } = yield* ask((yield* authorOf(n)).handle, email, { from: `203.0.113.${n}` })
        assert.strictEqual(status, 202)
        mails += (yield* confirmLinks(email)).length
      }
      assert.strictEqual(mails, 3)
      yield* TestClock.adjust("23 hours")
      const { handle } = yield* authorOf(14)
      const mailed: Array<number> = []
      for (const wait of ["0 hours", "1 hour"] as const) {
        yield* TestClock.adjust(wait)
        yield* ask(handle, "bombed+14@example.org", { from: "203.0.113.14" })
        mailed.push((yield* confirmLinks("bombed+14@example.org")).length)
      }
      assert.deepStrictEqual(mailed, [0, 1])
    })
  )

  it.effect("A subscription is refused for an eleventh request of an address within an hour", () =>
    Effect.gen(function* () {
      yield* begin
      const { handle } = yield* authorOf(8)
      const from = "192.0.2.44"
      for (let n = 0; n < 10; n++)
        assert.strictEqual((yield* ask(handle, `reader${n}@example.org`, { from })).status, 202)
      assert.strictEqual((yield* ask(handle, "more@example.org", { from })).status, 429)
      assert.strictEqual((yield* ask("unknown_author", "x@example.org", { from: "192.0.2.45" })).status, 404)
      assert.strictEqual((yield* ask(handle, "no address", { from: "192.0.2.45" })).status, 422)
    })
  )

  it.effect("A subscription ends with one click, and no old link begins it again", () =>
    Effect.gen(function* () {
      yield* begin
      const { handle } = yield* authorOf(9)
      const email = "leaver@example.org"
      yield* subscribed(handle, email)
      const [confirm = ""] = yield* confirmLinks(email)
      const { endPath } = yield* endOf(email)
      assert.include((yield* open("GET", endPath)).text, "Unsubscribe from")
      assert.strictEqual(yield* stateOf(email), "active")
      yield* TestClock.adjust("1 minute")
      const oneClick = {
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: "List-Unsubscribe=One-Click"
      }
      for (const _ of [1, 2]) assert.strictEqual((yield* open("POST", endPath, oneClick)).status, 200)
      assert.strictEqual(yield* stateOf(email), "ended")
      const page = yield* open("GET", endPath)
      assert.include(page.text, "You won&#39;t get any more posts")
      assert.notInclude(page.text, `go to ${email}`)
      assert.strictEqual((yield* open("POST", confirm)).status, 404)
      assert.strictEqual(yield* stateOf(email), "ended")
      assert.strictEqual((yield* open("POST", `${endPath}x`)).status, 404)
    })
  )

  it.effect("A subscription ends for all authors of the site by the other button", () =>
    Effect.gen(function* () {
      yield* begin
      const email = "all@example.org"
      yield* subscribed((yield* authorOf(10)).handle, email)
      yield* subscribed((yield* authorOf(11)).handle, email)
      const { endPath } = yield* endOf(email)
      assert.strictEqual((yield* open("POST", `${endPath}/all`)).status, 200)
      assert.strictEqual(yield* stateOf(email), "ended,ended")
    })
  )

  it.effect("A subscription goes after 48 hours that no one confirmed, and 30 days after its end", () =>
    Effect.gen(function* () {
      yield* begin
      const { handle } = yield* authorOf(12)
      yield* ask(handle, "late@example.org", { from: "192.0.2.46" })
      const [link = ""] = yield* confirmLinks("late@example.org")
      yield* subscribed(handle, "gone@example.org")
      const { endPath } = yield* endOf("gone@example.org")
      yield* open("POST", endPath)
      yield* TestClock.adjust("49 hours")
      assert.strictEqual((yield* open("POST", link)).status, 404)
      const { sweep } = yield* Subscribers
      yield* sweep
      assert.strictEqual(yield* stateOf("late@example.org"), "")
      assert.strictEqual(yield* stateOf("gone@example.org"), "ended")
      yield* subscribed(handle, "back@example.org")
      yield* open("POST", (yield* endOf("back@example.org")).endPath)
      yield* TestClock.adjust("31 days")
      yield* ask(handle, "back@example.org", { from: "192.0.2.48" })
      yield* sweep
      assert.strictEqual(yield* stateOf("gone@example.org"), "")
      for (const method of ["GET", "POST"]) {
        const page = yield* open(method, endPath)
        assert.strictEqual(page.status, 200)
        assert.include(page.text, "unsubscribed")
      }
      yield* subscribed(handle, "gone@example.org")
      yield* open("POST", endPath)
      assert.strictEqual(yield* stateOf("gone@example.org"), "ended")
      const again = (yield* confirmLinks("back@example.org")).at(-1) ?? ""
      assert.strictEqual((yield* open("POST", again)).status, 200)
      assert.strictEqual(yield* stateOf("back@example.org"), "active")
    })
  )

  it.effect("A form asks for a subscription, and a program that fills in the hidden field gets nothing", () =>
    Effect.gen(function* () {
      yield* begin
      const { handle } = yield* authorOf(13)
      const client = yield* TestClient
      assert.include((yield* client.send("GET", `/@${handle}`)).text, `action="/@${handle}/subscribe"`)
      const post = (fields: Record<string, string>) =>
        client.send("POST", `/@${handle}/subscribe`, {
          from: "192.0.2.47",
          headers: { "content-type": "application/x-www-form-urlencoded", origin: "https://press.test" },
          body: new URLSearchParams(fields).toString()
        })
      for (const fields of [
        { email: "person@example.org", website: "" },
        { email: "program@example.org", website: "https://spam.test" }
      ]) {
        const answer = yield* post(fields)
        assert.strictEqual(answer.status, 303)
        assert.strictEqual(answer.headers.get("location"), "/subscriptions/sent")
      }
      assert.strictEqual((yield* post({ email: "no address" })).status, 422)
      assert.strictEqual(yield* stateOf("person@example.org"), "pending")
      assert.strictEqual(yield* stateOf("program@example.org"), "")
    })
  )
})

/** Returns the path that ends the newest subscription of an address, as its mails have it. */
const endOf = Effect.fnUntraced(function* (email: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly author: string }>`
    select author_id as author from subscribers where address = ${email} order by id desc limit 1`
  const tokens = yield* makeSubscriptionTokens
  const author = OwnerId.make(row?.author ?? "")
  return { endPath: yield* tokens.endPath({ author, mailbox: mailboxOf(EmailAddress.make(email)) }) }
})
