import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccountEmail } from "../../../src/accounts/account-email/AccountEmail.ts"
import { signIn } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { codeTo, linkTo, wrongCode } from "../../support/mailbox.ts"
import { service } from "../../support/TestClient.ts"
import { registered } from "../registrations/flows.ts"
import { assertJsonError, confirmed, emailOf, jsonFieldCodes } from "./flows.ts"

layer(service(database("test_account_email_confirming")))(
  "confirming an e-mail address (2.5, 3.3, 4.1)",
  (it) => {
    it.effect("A verification takes exactly one of code and confirmationUrl", () =>
      Effect.gen(function* () {
        const owner = yield* signIn(5)
        const account = yield* emailOf(owner.accessToken)
        const both = { code: "123456", confirmationUrl: "https://press.test/auth/v1/verify" }
        for (const body of [{}, both])
          assert.deepStrictEqual(jsonFieldCodes(yield* account.verify(body)), [["body", "required"]])
        assert.deepStrictEqual(jsonFieldCodes(yield* account.verify({ code: "12345" })), [
          ["code", "invalid"]
        ])
        assert.deepStrictEqual(jsonFieldCodes(yield* account.verify({ code: "123456", more: 1 })), [
          ["more", "unknown"]
        ])
        assertJsonError(yield* account.verify({ code: "123456" }), 400, "no_pending_email")
      })
    )

    it.effect("A code dies after five wrong codes or ten minutes, but not after four wrong codes", () =>
      Effect.gen(function* () {
        const owner = yield* signIn(6)
        const account = yield* emailOf(owner.accessToken)
        yield* account.change({ email: "ena@example.org" })
        const first = yield* codeTo("ena@example.org")
        for (let i = 0; i < 5; i++)
          assertJsonError(yield* account.verify({ code: wrongCode(first) }), 422, "invalid_code")
        assertJsonError(yield* account.verify({ code: first }), 422, "invalid_code")
        yield* account.resend
        const second = yield* codeTo("ena@example.org")
        yield* TestClock.adjust(600_000)
        assertJsonError(yield* account.verify({ code: second }), 422, "invalid_code")
        yield* account.resend
        const third = yield* codeTo("ena@example.org")
        yield* TestClock.adjust(599_999)
        // The access token is twenty minutes old by now.
        const later = yield* emailOf((yield* signIn(6)).accessToken)
        for (let i = 0; i < 4; i++)
          assertJsonError(yield* later.verify({ code: wrongCode(third) }), 422, "invalid_code")
        assert.strictEqual((yield* later.verify({ code: third })).status, 200)
      })
    )

    it.effect("A repeated proof stays verified after four typos and after its ten minutes", () =>
      Effect.gen(function* () {
        const owner = yield* signIn(11)
        const account = yield* emailOf(owner.accessToken)
        yield* account.change({ email: "fay@example.org" })
        const code = yield* codeTo("fay@example.org")
        const confirmationUrl = yield* linkTo("fay@example.org")
        for (let i = 0; i < 4; i++)
          assertJsonError(yield* account.verify({ code: wrongCode(code) }), 422, "invalid_code")
        const verified = { status: "verified", email: "fay@example.org" }
        for (let i = 0; i < 8; i++) assert.deepStrictEqual((yield* account.verify({ code })).body, verified)
        assertJsonError(yield* account.verify({ code: wrongCode(code) }), 400, "no_pending_email")
        assert.deepStrictEqual((yield* account.verify({ code })).body, verified)
        yield* TestClock.adjust("1 day")
        const later = yield* emailOf((yield* signIn(11)).accessToken)
        assert.deepStrictEqual((yield* later.verify({ code })).body, verified)
        assert.deepStrictEqual((yield* later.verify({ confirmationUrl })).body, verified)
        // A pending change leaves the proof of the account's address alone, until it is confirmed itself.
        yield* later.change({ email: "fay2@example.org" })
        assert.deepStrictEqual((yield* later.verify({ code })).body, verified)
        assert.strictEqual((yield* later.read).body.pendingEmail, "fay2@example.org")
        const second = yield* codeTo("fay2@example.org")
        assert.strictEqual((yield* later.verify({ code: second })).body.email, "fay2@example.org")
        if (code !== second) assertJsonError(yield* later.verify({ code }), 400, "no_pending_email")
        assertJsonError(yield* later.verify({ confirmationUrl }), 422, "validation")
        const theirs = yield* emailOf((yield* signIn(12)).accessToken)
        assertJsonError(yield* theirs.verify({ code: second }), 400, "no_pending_email")
      })
    )

    it.effect("A link older than ten minutes is called expired, and the message suggests a new one", () =>
      Effect.gen(function* () {
        const account = yield* emailOf((yield* signIn(13)).accessToken)
        yield* account.change({ email: "fin@example.org" })
        const confirmationUrl = yield* linkTo("fin@example.org")
        yield* TestClock.adjust("10 minutes")
        const answer = yield* account.verify({ confirmationUrl })
        assert.deepStrictEqual(jsonFieldCodes(answer), [["confirmationUrl", "expired"]])
        assert.match(answer.body.data.errors[0].message, /email\/resend/)
      })
    )

    it.effect("A confirmationUrl must match origin, path, type, token, owner and pending change", () =>
      Effect.gen(function* () {
        const owner = yield* signIn(7)
        const stranger = yield* signIn(8)
        const account = yield* emailOf(owner.accessToken)
        yield* account.change({ email: "gil@example.org" })
        const link = yield* linkTo("gil@example.org")
        assert.match(link, /^https:\/\/press\.test\/auth\/v1\/verify\?token=[\w-]+&type=email_change$/)
        const token = new URL(link).searchParams.get("token") ?? ""
        const wrong = [
          link.replace("press.test", "press.test.evil.example"),
          link.replace("https:", "http:"),
          link.replace("press.test", "press.test:8443"),
          link.replace("press.test", "user@press.test"),
          link.replace("/auth/v1/verify", "/auth/v1/verify/x"),
          link.replace("/auth/v1/verify", "//auth/v1/verify"),
          link.replace("email_change", "signup"),
          link.replace("&type=email_change", ""),
          `${link}&type=recovery`,
          `${link}&token=${token}`,
          link.replace(token, token.slice(1)),
          link.replace(token, `${token.slice(0, -4)}AAAA`),
          link.replace(token, ""),
          "gil",
          "javascript:alert(1)",
          "/auth/v1/verify"
        ]
        for (const confirmationUrl of wrong)
          assert.deepStrictEqual(
            jsonFieldCodes(yield* account.verify({ confirmationUrl })),
            [["confirmationUrl", "mismatch"]],
            confirmationUrl
          )
        const theirs = yield* emailOf(stranger.accessToken)
        yield* theirs.change({ email: "stranger@example.org" })
        assert.deepStrictEqual(jsonFieldCodes(yield* theirs.verify({ confirmationUrl: link })), [
          ["confirmationUrl", "mismatch"]
        ])
        // The service ignores parameters that a mail program adds. None of the requests above used up a try.
        const answer = yield* account.verify({ confirmationUrl: `${link}&utm_source=mail#top` })
        assert.deepStrictEqual(answer.body, { status: "verified", email: "gil@example.org" })
        assert.strictEqual((yield* account.verify({ confirmationUrl: link })).status, 200)
      })
    )

    it.effect("The pair of a confirmation is stored sealed for fifteen minutes", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const owner = yield* registered("iris@example.org")
        const { session } = yield* confirmed(owner.accessToken, "iris2@example.org")
        const pairs = sql<{ readonly pair: string }>`
        select encode(sealed_pair, 'escape') as pair from email_confirmations where sealed_pair is not null`
        const stored = yield* pairs
        assert.isNotEmpty(stored)
        for (const { pair } of stored) assert.notInclude(pair, session.refreshToken.slice(4))
        const { sweep } = yield* AccountEmail
        yield* TestClock.adjust("15 minutes")
        yield* sweep
        assert.isNotEmpty(yield* pairs)
        yield* TestClock.adjust(1)
        yield* sweep
        assert.isEmpty(yield* pairs)
      })
    )
  }
)
