import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { registered } from "../../accounts/registrations/flows.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { codeTo } from "../../support/mailbox.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { ACCOUNT, send, signedIn } from "../account/pages.ts"
import { assertPrivate, browser, type Browser } from "../browser.ts"
import { validated } from "../pages/documents.ts"
import { askCode, valueOf } from "../signIn.ts"
import { PAGE, signed } from "./signing.ts"

const KEEP = `${PAGE}/keep`
const FOREIGN = { "sec-fetch-site": "cross-site", origin: "https://evil.example" }

/** Returns the accounts that close, with what moderators want of them. */
const closings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select o.handle, d.was_restricted from account_deletions d join owners o on o.id = d.id
    where d.ended_at is null order by o.handle`
})

/** Presses a form, and asserts its status and that no account closes or is kept. */
const refused = Effect.fnUntraced(function* (
  reader: Browser,
  path: string,
  fields: Readonly<Record<string, string>>,
  status: number,
  headers: Readonly<Record<string, string>> = {}
) {
  const before = yield* closings
  const answer = yield* reader.post(path, fields, headers)
  assert.strictEqual(answer.status, status, answer.text)
  assert.deepStrictEqual(yield* closings, before)
  if (status === 422) validated(answer.text)
  return answer
})

/** Sends a form from another site, and without a session, which both do nothing. */
const refusedToStrangers = Effect.fnUntraced(function* (
  reader: Browser,
  path: string,
  fields: Readonly<Record<string, string>>
) {
  yield* refused(reader, path, fields, 403, FOREIGN)
  const signIn = yield* refused(yield* browser, path, fields, 401)
  assertPrivate(signIn)
  assert.include(signIn.text, 'action="/sign-in')
})

layer(service(database("test_web_leaving_forms"), 1, { adminToken: ADMIN_TOKEN }))(
  "the forms that delete an account and keep it",
  (it) => {
    const start = TestClock.setTime(Date.UTC(2026, 10, 21, 5))

    it.effect(
      "A signature closes the account of its wallet alone, in time, once, and from its own site",
      () =>
        Effect.gen(function* () {
          yield* start
          for (const number of [1, 2]) yield* authorOf(number)
          const [reader, other] = [yield* signedIn(1), yield* signedIn(2)]
          yield* refusedToStrangers(reader, PAGE, { step: "begin" })
          const late = yield* signed(reader, 1)
          yield* TestClock.adjust("1 hour")
          const expired = yield* refused(reader, PAGE, { ...late, handle: "author1" }, 422)
          assert.include(expired.text, "We&#39;ve made a new text")

          const claim = yield* signed(reader, 1)
          const form = { ...claim, handle: "author1" }
          yield* refusedToStrangers(reader, PAGE, form)
          // Another account, under either handle.
          yield* refused(other, PAGE, form, 422)
          yield* refused(other, PAGE, { ...claim, handle: "author2" }, 422)

          assert.strictEqual((yield* reader.post(PAGE, form)).status, 200)
          const closed = [{ handle: "author1", was_restricted: false }]
          assert.deepStrictEqual(yield* closings, closed)
          // The browser is signed out. Signed in again, the same form leads to the page.
          yield* refused(reader, PAGE, form, 401)
          const back = yield* signedIn(1)
          const again = yield* refused(back, PAGE, form, 303)
          assert.strictEqual(again.headers.get("location"), PAGE)
          const begun = yield* refused(back, PAGE, { step: "begin" }, 303)
          assert.strictEqual(begun.headers.get("location"), PAGE)

          yield* refusedToStrangers(back, KEEP, {})
          // Another account keeps itself.
          yield* refused(other, KEEP, {}, 303)
          for (const _ of [1, 2]) {
            const kept = yield* send(back, KEEP)
            assert.deepStrictEqual([kept.status, kept.headers.get("location")], [303, ACCOUNT])
            assert.deepStrictEqual(yield* closings, [])
          }
          // The signature was spent.
          yield* refused(back, PAGE, form, 422)
        })
    )

    it.effect("A code closes the account of its mailbox alone, in time, once, and from its own site", () =>
      Effect.gen(function* () {
        yield* start
        const client = yield* TestClient
        const ada = "ada@example.com"
        const { accessToken } = yield* registered(ada)
        const { body } = yield* client.send("GET", "/api/v1/me", { token: accessToken })
        const handle: string = body.owner.handle
        const mailed = Effect.gen(function* () {
          const reader = yield* browser
          yield* TestClock.adjust("2 minutes")
          const page = valueOf((yield* askCode(reader, { email: ada })).text, "page")
          yield* reader.post("/sign-in", { email: ada, page, code: yield* codeTo(ada) })
          yield* TestClock.adjust("2 minutes")
          return reader
        })
        const reader = yield* mailed
        yield* send(reader, PAGE, { step: "begin" })
        const late = yield* codeTo(ada)
        yield* TestClock.adjust("11 minutes")
        yield* refused(reader, PAGE, { handle, code: late }, 422)
        yield* send(reader, PAGE, { step: "begin" })
        const form = { handle, code: yield* codeTo(ada) }
        yield* refusedToStrangers(reader, PAGE, form)
        yield* authorOf(4)
        const other = yield* signedIn(4)
        yield* refused(other, PAGE, form, 422)
        yield* refused(other, PAGE, { ...form, handle: "author4" }, 422)

        assert.strictEqual((yield* reader.post(PAGE, form)).status, 200)
        assert.deepStrictEqual(yield* closings, [{ handle, was_restricted: false }])
        yield* refused(reader, PAGE, form, 401)
        const back = yield* mailed
        assert.strictEqual((yield* refused(back, PAGE, form, 303)).headers.get("location"), PAGE)
        assert.strictEqual((yield* send(back, KEEP)).status, 303)
        yield* refused(back, PAGE, form, 422)
        assert.deepStrictEqual(yield* closings, [])
      })
    )

    it.effect("A restricted account may be deleted, and is still restricted once it is kept", () =>
      Effect.gen(function* () {
        yield* start
        const client = yield* TestClient
        const { handle } = yield* authorOf(6)
        const reader = yield* signedIn(6)
        yield* (yield* administrator())["accounts.restrict"]({ handle, reason: "Sells what others wrote" })
        const closed = yield* reader.post(PAGE, { ...(yield* signed(reader, 6)), handle })
        assert.strictEqual(closed.status, 200, closed.text)
        assert.deepStrictEqual(yield* closings, [{ handle, was_restricted: true }])
        const back = yield* signedIn(6)
        assert.strictEqual((yield* send(back, KEEP)).status, 303)
        assert.deepStrictEqual(yield* closings, [])
        assert.strictEqual((yield* client.send("GET", `/@${handle}`)).status, 404)
        assert.include((yield* back.get(PAGE)).text, "Go on with my wallet")
      })
    )
  }
)
