import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { decodeJwt } from "jose"
import { database } from "../../support/Database.ts"
import { codeTo, mailsTo, wrongCode } from "../../support/mailbox.ts"
import { service } from "../../support/TestClient.ts"
import { registered } from "../registrations/flows.ts"
import { accessOf, assertProblem, fieldCodes, refreshed, sendLogin, sendVerify } from "./flows.ts"

const NOBODY = "nobody@example.org"

layer(service(database("test_email_login")))("login by e-mail (4.1.1)", (it) => {
  it.effect("A code by mail opens a session of the returning owner's account", () =>
    Effect.gen(function* () {
      const email = "ada@example.org"
      const first = yield* registered(email)
      assert.strictEqual((yield* sendLogin(email)).status, 202)
      const answer = yield* sendVerify(email, yield* codeTo(email))
      assert.strictEqual(answer.status, 200)
      assert.match(answer.body.refreshToken, /^ppe_[0-9A-Za-z]{43}$/)
      const [before, now] = [decodeJwt(first.accessToken), decodeJwt(answer.body.accessToken)]
      assert.strictEqual(now.sub, before.sub)
      assert.notStrictEqual(now["sid"], before["sid"])
      assert.deepStrictEqual(now["amr"], ["email"])
      assert.strictEqual(yield* accessOf(answer.body.accessToken), 200)
      assert.strictEqual(yield* accessOf(first.accessToken), 200)
      yield* refreshed(answer.body.refreshToken)
    })
  )

  it.effect("A login never signs up, and its answer does not prove that the mailbox exists", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const email = "bea@example.org"
      yield* registered(email)
      const owners = yield* sql`select from owners`
      const [known, unknown] = [yield* sendLogin(email), yield* sendLogin(NOBODY)]
      assert.strictEqual(unknown.status, known.status)
      assert.strictEqual(unknown.text, known.text)
      const headers = (answer: typeof known) =>
        [...answer.headers].filter(([name]) => name !== "x-request-id" && name !== "ratelimit")
      assert.deepStrictEqual(headers(unknown), headers(known))
      assert.lengthOf(yield* mailsTo(NOBODY), 0)
      assert.lengthOf(yield* mailsTo(email), 2)
      assert.lengthOf(yield* sql`select from owners`, owners.length)
    })
  )

  it.effect("A login writes the same rows for a mailbox with and without an owner", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const email = "cleo@example.org"
      yield* registered(email)
      yield* mailsTo(email)
      yield* sendLogin(email)
      yield* sendLogin(NOBODY)
      const rows = yield* sql`
        select count(*)::int as mails, array_agg(distinct octet_length(sealed_content)) as sizes from mails`
      assert.strictEqual(rows[0]?.["mails"], 2)
      assert.lengthOf(rows[0]?.["sizes"] as Array<unknown>, 1)
      const codes =
        yield* sql`select from email_codes where purpose = 'login' and mailbox in (${email}, ${NOBODY})`
      assert.lengthOf(codes, 2)
    })
  )

  it.effect("Every failure of a code is the same 401 invalid-code", () =>
    Effect.gen(function* () {
      const email = "dora@example.org"
      yield* registered(email)
      yield* sendLogin(email)
      yield* sendLogin(NOBODY)
      const code = yield* codeTo(email)
      const answers = [
        yield* sendVerify(email, wrongCode(code)),
        yield* sendVerify(NOBODY, code),
        yield* sendVerify("never-asked@example.org", code)
      ]
      for (const answer of answers) assertProblem(answer, 401, "invalid-code")
      assert.strictEqual(new Set(answers.map(({ text }) => text)).size, 1)
    })
  )

  it.effect("Five wrong codes end a code, four do not, and a new code allows five tries again", () =>
    Effect.gen(function* () {
      const email = "ena@example.org"
      yield* registered(email)
      yield* sendLogin(email)
      const first = yield* codeTo(email)
      for (let i = 0; i < 5; i++) yield* sendVerify(email, wrongCode(first))
      assertProblem(yield* sendVerify(email, first), 401, "invalid-code")
      yield* sendLogin(email)
      const second = yield* codeTo(email)
      for (let i = 0; i < 4; i++) yield* sendVerify(email, wrongCode(second))
      assert.strictEqual((yield* sendVerify(email, second)).status, 200)
    })
  )

  it.effect("A code lives ten minutes, works once, and ends with the next one", () =>
    Effect.gen(function* () {
      const email = "flo@example.org"
      yield* registered(email)
      const fresh = Effect.andThen(sendLogin(email), codeTo(email))
      const first = yield* fresh
      yield* TestClock.adjust(599_999)
      assert.strictEqual((yield* sendVerify(email, first)).status, 200)
      assertProblem(yield* sendVerify(email, first), 401, "invalid-code")
      const late = yield* fresh
      yield* TestClock.adjust(600_000)
      assertProblem(yield* sendVerify(email, late), 401, "invalid-code")
      const former = yield* fresh
      const newest = yield* fresh
      if (former !== newest) assertProblem(yield* sendVerify(email, former), 401, "invalid-code")
      assert.strictEqual((yield* sendVerify(email, newest)).status, 200)
    })
  )

  it.effect("A body of the wrong shape has every member named", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(fieldCodes(yield* sendLogin(undefined)), [["email", "required"]])
      assert.deepStrictEqual(fieldCodes(yield* sendLogin("no address")), [["email", "invalid"]])
      assert.deepStrictEqual(fieldCodes(yield* sendVerify(undefined, "12345")), [
        ["email", "required"],
        ["code", "invalid"]
      ])
    })
  )
})
