import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { decodeJwt } from "jose"
import { AccountEmail } from "../../../src/accounts/account-email/AccountEmail.ts"
import { signIn } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { codeTo, linkTo, mailsTo, wrongCode } from "../../support/mailbox.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { registered } from "../registrations/flows.ts"
import { accessOf, assertProblem, refreshed, sendLogin, sendRefresh, sendVerify } from "../sessions/flows.ts"
import { assertJsonError, confirmed, emailOf, jsonFieldCodes } from "./flows.ts"

layer(service(database("test_account_email")))("the e-mail address of an account (2.5, 3.3, 4.1)", (it) => {
  it.effect(
    "none → a new address → confirmation_sent, pending → verified, and a repeat returns verified",
    () =>
      Effect.gen(function* () {
        const owner = yield* signIn(1)
        const email = "ada@example.org"
        const account = yield* emailOf(owner.accessToken)
        const none = { email: null, emailVerified: false, pendingEmail: null, status: "none" }
        assert.deepStrictEqual((yield* account.read).body, none)

        const asked = yield* account.change({ email, locale: "en", nested: { any: [1] } })
        assert.deepStrictEqual(asked.body, { status: "confirmation_sent", pendingEmail: email })
        const pending = { ...none, pendingEmail: email, status: "confirmation_sent" }
        assert.deepStrictEqual((yield* account.read).body, pending)

        const code = yield* codeTo(email)
        const verified = { status: "verified", email }
        assert.deepStrictEqual((yield* account.verify({ code })).body, verified)
        assert.deepStrictEqual((yield* account.verify({ code })).body, verified)
        assert.deepStrictEqual((yield* account.read).body, { ...none, email, emailVerified: true })
      })
  )

  it.effect("the same current or pending address is already_pending and sends no mail", () =>
    Effect.gen(function* () {
      const owner = yield* signIn(2)
      const account = yield* emailOf(owner.accessToken)
      yield* account.change({ email: "bea@example.org" })
      assert.deepStrictEqual((yield* account.change({ email: "bea@EXAMPLE.org" })).body, {
        status: "already_pending",
        pendingEmail: "bea@example.org"
      })
      yield* account.verify({ code: yield* codeTo("bea@example.org") })
      assert.deepStrictEqual((yield* account.change({ email: "bea@example.org" })).body, {
        status: "already_pending",
        pendingEmail: null
      })
      assert.lengthOf(yield* mailsTo("bea@example.org"), 1)
    })
  )

  it.effect("resend: 400 no_pending_email without a pending change, otherwise resent with a new code", () =>
    Effect.gen(function* () {
      const owner = yield* signIn(3)
      const account = yield* emailOf(owner.accessToken)
      assertJsonError(yield* account.resend, 400, "no_pending_email")
      yield* account.change({ email: "cleo@example.org" })
      const first = yield* codeTo("cleo@example.org")
      assert.deepStrictEqual((yield* account.resend).body, {
        status: "resent",
        pendingEmail: "cleo@example.org"
      })
      const second = yield* codeTo("cleo@example.org")
      if (first !== second) assertJsonError(yield* account.verify({ code: first }), 422, "invalid_code")
      assert.strictEqual((yield* account.verify({ code: second })).status, 200)
      assertJsonError(yield* account.resend, 400, "no_pending_email")
    })
  )

  it.effect("another address replaces the pending one, whose code no longer works", () =>
    Effect.gen(function* () {
      const owner = yield* signIn(4)
      const account = yield* emailOf(owner.accessToken)
      yield* account.change({ email: "dora@example.org" })
      const former = yield* linkTo("dora@example.org")
      yield* account.change({ email: "dorothea@example.org" })
      assert.deepStrictEqual(jsonFieldCodes(yield* account.verify({ confirmationUrl: former })), [
        ["confirmationUrl", "mismatch"]
      ])
      yield* account.verify({ code: yield* codeTo("dorothea@example.org") })
      assert.strictEqual((yield* account.read).body.email, "dorothea@example.org")
    })
  )

  it.effect("verify takes exactly one of code or confirmationUrl", () =>
    Effect.gen(function* () {
      const owner = yield* signIn(5)
      const account = yield* emailOf(owner.accessToken)
      const both = { code: "123456", confirmationUrl: "https://press.test/auth/v1/verify" }
      for (const body of [{}, both])
        assert.deepStrictEqual(jsonFieldCodes(yield* account.verify(body)), [["body", "required"]])
      assert.deepStrictEqual(jsonFieldCodes(yield* account.verify({ code: "12345" })), [["code", "invalid"]])
      assert.deepStrictEqual(jsonFieldCodes(yield* account.verify({ code: "123456", more: 1 })), [
        ["more", "unknown"]
      ])
      assertJsonError(yield* account.verify({ code: "123456" }), 400, "no_pending_email")
    })
  )

  it.effect("five wrong codes kill the right one, four do not; ten minutes end it", () =>
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

  it.effect(
    "a repeat of the proof is verified after four typos, however often, and after its ten minutes",
    () =>
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

  it.effect("a link is called expired after ten minutes, and says to ask for a new one", () =>
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

  it.effect("a new address replaces the pending one, and the account's own address withdraws it", () =>
    Effect.gen(function* () {
      const account = yield* emailOf((yield* signIn(14)).accessToken)
      yield* account.change({ email: "gus@example.org" })
      yield* account.verify({ code: yield* codeTo("gus@example.org") })
      yield* account.change({ email: "gus2@example.org" })
      yield* account.change({ email: "gus3@example.org" })
      const code = yield* codeTo("gus3@example.org")
      const withdrawn = yield* account.change({ email: "GUS@example.org" })
      assert.deepStrictEqual(withdrawn.body, { status: "already_pending", pendingEmail: null })
      assert.deepInclude((yield* account.read).body, {
        email: "gus@example.org",
        pendingEmail: null,
        status: "none"
      })
      assertJsonError(yield* account.verify({ code }), 400, "no_pending_email")
      assertJsonError(yield* account.resend, 400, "no_pending_email")
      assert.lengthOf(yield* mailsTo("gus@example.org"), 1)
    })
  )

  it.effect("confirmationUrl: origin, path, type, token, owner and pending change must match", () =>
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

  it.effect("on a wallet owner keeps its UUID and wallet session and returns status only", () =>
    Effect.gen(function* () {
      const owner = yield* signIn(9)
      const email = "hal@example.org"
      assert.deepStrictEqual(yield* confirmed(owner.accessToken, email), { status: "verified", email })
      assert.strictEqual(yield* accessOf(owner.accessToken), 200)
      yield* refreshed(owner.refreshToken)
      const again = yield* signIn(9)
      assert.strictEqual(decodeJwt(again.accessToken).sub, decodeJwt(owner.accessToken).sub)
      yield* sendLogin(email)
      const byMail = (yield* sendVerify(email, yield* codeTo(email))).body
      assert.strictEqual(decodeJwt(byMail.accessToken).sub, decodeJwt(owner.accessToken).sub)
      const { body } = yield* (yield* TestClient).send("GET", "/api/v1/me", { token: byMail.accessToken })
      assert.deepInclude(body.identity, {
        durable: true,
        walletLinked: true,
        walletAddress: owner.wallet.account,
        email,
        emailVerified: true
      })
    })
  )

  it.effect(
    "a native e-mail session receives its replacement pair, and a repeat the same while it is current",
    () =>
      Effect.gen(function* () {
        const owner = yield* registered("ida@example.org")
        const account = yield* emailOf(owner.accessToken)
        yield* account.change({ email: "ida2@example.org" })
        const code = yield* codeTo("ida2@example.org")
        const first = (yield* account.verify({ code })).body
        assert.deepStrictEqual(Object.keys(first).toSorted(), ["email", "session", "status"])
        assert.match(first.session.refreshToken, /^ppe_/)
        // The answer was lost. The former token gets the same pair for ten seconds; a repeat gets it later, too.
        assert.deepStrictEqual(yield* refreshed(owner.refreshToken), first.session)
        assert.deepStrictEqual((yield* account.verify({ code })).body, first)
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual((yield* account.verify({ code })).body, first)
        const claims = [owner, first.session].map(({ accessToken }) => decodeJwt(accessToken))
        assert.strictEqual(new Set(claims.map((it) => `${it.sub} ${String(it["sid"])}`)).size, 1)
        // Another session that repeats the proof keeps its own tokens.
        yield* sendLogin("ida2@example.org")
        const other = (yield* sendVerify("ida2@example.org", yield* codeTo("ida2@example.org"))).body
        const repeated = (yield* (yield* emailOf(other.accessToken)).verify({ code })).body
        assert.deepStrictEqual(repeated, { status: "verified", email: "ida2@example.org" })
        yield* refreshed(other.refreshToken)
        // A repeat gets no pair once the pair was replaced.
        const second = yield* refreshed(first.session.refreshToken)
        const later = yield* emailOf(second.accessToken)
        assert.deepStrictEqual((yield* later.verify({ code })).body, repeated)
        yield* refreshed(second.refreshToken)
        // Reuse of a replaced token ends the family, as everywhere.
        assertProblem(yield* sendRefresh(owner.refreshToken), 401, "session-expired")
        assert.strictEqual(yield* accessOf(second.accessToken), 401)
      })
  )

  it.effect("the pair of a confirmation is stored sealed, for fifteen minutes", () =>
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

  it.effect("the former address gets a notice of the change and no longer logs in", () =>
    Effect.gen(function* () {
      const owner = yield* registered("jan@example.org")
      yield* confirmed(owner.accessToken, "jan2@example.org")
      const notice = (yield* mailsTo("jan@example.org")).at(-1)
      assert.notMatch(notice?.text ?? "", /\d{6}/)
      const before = (yield* mailsTo("jan@example.org")).length
      yield* sendLogin("jan@example.org")
      assert.lengthOf(yield* mailsTo("jan@example.org"), before)
      yield* sendLogin("jan2@example.org")
      assert.strictEqual(
        (yield* sendVerify("jan2@example.org", yield* codeTo("jan2@example.org"))).status,
        200
      )
    })
  )

  it.effect("two owners who confirm one address: one wins, the other gets 409 email_taken", () =>
    Effect.gen(function* () {
      const email = "kai@example.org"
      const [one, two] = [yield* signIn(20), yield* signIn(21)]
      const [first, second] = [yield* emailOf(one.accessToken), yield* emailOf(two.accessToken)]
      yield* first.change({ email })
      const firstCode = yield* codeTo(email)
      yield* second.change({ email })
      const secondCode = yield* codeTo(email)
      assert.strictEqual((yield* second.verify({ code: secondCode })).status, 200)
      assertJsonError(yield* first.verify({ code: firstCode }), 409, "email_taken")
      assert.deepInclude((yield* first.read).body, { email: null, pendingEmail: email })
      // A request for an address does not reveal that it has an owner.
      const third = yield* emailOf((yield* signIn(22)).accessToken)
      assert.deepStrictEqual((yield* third.change({ email })).body, {
        status: "confirmation_sent",
        pendingEmail: email
      })
    })
  )

  it.effect("is the owner session's alone, in the ordinary JSON family", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { accessToken } = yield* signIn(30)
      const { body } = yield* client.send("POST", "/api/v1/api-keys", { token: accessToken, body: {} })
      for (const token of [body.key, "none"]) {
        const account = yield* emailOf(token)
        const answers = [
          yield* account.read,
          yield* account.change({ email: "lea@example.org" }),
          yield* account.resend,
          yield* account.verify({ code: "123456" })
        ]
        for (const answer of answers) assertJsonError(answer, 401, "unauthorized")
      }
      assert.strictEqual((yield* emailOf(accessToken)) && (yield* accessOf(accessToken)), 200)
    })
  )

  it.effect("email is at most 320 characters, and in e-mail format", () =>
    Effect.gen(function* () {
      const account = yield* emailOf((yield* signIn(31)).accessToken)
      const domain = `${"d".repeat(63)}.${"e".repeat(63)}.${"f".repeat(63)}.${"g".repeat(63)}`
      assert.strictEqual((yield* account.change({ email: `${"l".repeat(64)}@${domain}` })).status, 200)
      assert.deepStrictEqual(
        jsonFieldCodes(yield* account.change({ email: `${"l".repeat(64)}@${domain}g` })),
        [["email", "too_long"]]
      )
      assert.deepStrictEqual(jsonFieldCodes(yield* account.change({ email: "no address" })), [
        ["email", "invalid"]
      ])
      assert.deepStrictEqual(jsonFieldCodes(yield* account.change({ mail: "a@b" })), [["email", "required"]])
    })
  )
})
