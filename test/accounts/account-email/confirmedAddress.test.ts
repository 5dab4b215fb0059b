import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { decodeJwt } from "jose"
import { signIn } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { codeTo, mailsTo } from "../../support/mailbox.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { registered } from "../registrations/flows.ts"
import { accessOf, assertProblem, refreshed, sendLogin, sendRefresh, sendVerify } from "../sessions/flows.ts"
import { assertJsonError, confirmed, emailOf } from "./flows.ts"

layer(service(database("test_account_email_confirmed")))(
  "a confirmed e-mail address (2.5, 3.3, 4.1)",
  (it) => {
    it.effect("An address on a wallet owner keeps its UUID and wallet session, and returns status only", () =>
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

    it.effect("A native e-mail session receives a replacement pair, and the same one on a repeat", () =>
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

    it.effect("The former address gets a notice of the change and no longer logs in", () =>
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

    it.effect("Of two owners who confirm one address, the second gets 409 email_taken", () =>
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
  }
)
