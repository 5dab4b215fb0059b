import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { signIn } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { codeTo, mailsTo } from "../../support/mailbox.ts"
import { service, type TestAnswer } from "../../support/TestClient.ts"
import { assertJsonError, emailOf } from "../account-email/flows.ts"
import { receiptOf, sendRegistration, sendVerification } from "../registrations/flows.ts"
import { assertProblem, sendLogin, sendVerify } from "../sessions/flows.ts"

const KEY = "0c6f4d1e-5a37-4b8e-9d20-6f1e2a3b4c5d"

const assertCooling = (answer: TestAnswer, seconds: number) => {
  assertProblem(answer, 429, "rate-limited")
  assert.strictEqual(answer.headers.get("retry-after"), String(seconds))
  assert.strictEqual(answer.body.retryAfterSeconds, seconds)
}

layer(service(database("test_mailbox_limits"), 1, { rateLimitFactor: 1 }))(
  "the mailbox cooldown and its hourly cap (4.1.1)",
  (it) => {
    it.effect("A mailbox waits 60 seconds between two mails, whether or not it has an owner", () =>
      Effect.gen(function* () {
        const email = "ada@example.org"
        const { registrationId } = yield* receiptOf(email)
        yield* sendVerification(registrationId, yield* codeTo(email))
        for (const [mailbox, mails] of [
          [email, 3],
          ["nobody@example.org", 0]
        ] as const) {
          yield* TestClock.adjust("60 seconds")
          assert.strictEqual((yield* sendLogin(mailbox)).status, 202)
          assertCooling(yield* sendLogin(mailbox), 60)
          yield* TestClock.adjust(59_999)
          assertCooling(yield* sendLogin(mailbox), 1)
          yield* TestClock.adjust(1)
          assert.strictEqual((yield* sendLogin(mailbox)).status, 202)
          assert.lengthOf(yield* mailsTo(mailbox), mails)
        }
      })
    )

    it.effect("A mailbox gets five mails an hour, and the sixth waits until the first is an hour old", () =>
      Effect.gen(function* () {
        const mailbox = "bea@example.org"
        for (let i = 0; i < 5; i++) {
          assert.strictEqual((yield* sendLogin(mailbox)).status, 202)
          yield* TestClock.adjust("60 seconds")
        }
        assertCooling(yield* sendLogin(mailbox), 3300)
        yield* TestClock.adjust(3_299_999)
        assertCooling(yield* sendLogin(mailbox), 1)
        yield* TestClock.adjust(1)
        assert.strictEqual((yield* sendLogin(mailbox)).status, 202)
      })
    )

    it.effect("Every spelling of an address counts for the same mailbox", () =>
      Effect.gen(function* () {
        const spellings = ["gil@example.org", "GIL@example.org", "gil@EXAMPLE.org.", "gil@\uff45xample.org"]
        assert.strictEqual((yield* sendLogin("Gil@example.org")).status, 202)
        for (const spelling of spellings) {
          assertCooling(yield* sendLogin(spelling), 60)
          assertCooling(yield* sendRegistration(spelling), 60)
        }
      })
    )

    it.effect("Strangers cannot use up the owner's hourly mails, by registrations or by logins", () =>
      Effect.gen(function* () {
        const email = "hal@example.org"
        const { registrationId } = yield* receiptOf(email)
        yield* sendVerification(registrationId, yield* codeTo(email))
        yield* TestClock.adjust("60 seconds")
        for (let i = 0; i < 4; i++) {
          assert.strictEqual((yield* sendRegistration(email)).status, 202)
          yield* TestClock.adjust("60 seconds")
        }
        assertCooling(yield* sendRegistration(email), 3300)
        for (let i = 0; i < 5; i++) {
          assert.strictEqual((yield* sendLogin(email, "203.0.113.9")).status, 202)
          yield* TestClock.adjust("60 seconds")
        }
        assertCooling(yield* sendLogin(email, "203.0.113.9"), 3300)
        // All requests together may send one mail per minute.
        assert.strictEqual((yield* sendLogin(email, "198.51.100.7")).status, 202)
        assertCooling(yield* sendLogin(email, "198.51.100.7"), 60)
        const { status } = yield* sendVerify(email, yield* codeTo(email))
        assert.strictEqual(status, 200)
      })
    )

    it.effect("Login, registration and change share one cooldown for each mailbox", () =>
      Effect.gen(function* () {
        const mailbox = "cleo@example.org"
        const account = yield* emailOf((yield* signIn(1)).accessToken)
        yield* sendLogin(mailbox)
        assertCooling(yield* sendRegistration(mailbox), 60)
        const refused = yield* account.change({ email: mailbox })
        assertJsonError(refused, 429, "rate_limited")
        assert.strictEqual(refused.body.data.retryAfter, 60)
        assert.strictEqual(refused.headers.get("retry-after"), "60")
        assert.strictEqual((yield* account.read).body.status, "none")
        assert.strictEqual((yield* account.change({ email: "other@example.org" })).status, 200)
        assertJsonError(yield* account.resend, 429, "rate_limited")
        yield* TestClock.adjust("60 seconds")
        assert.strictEqual((yield* account.resend).status, 200)
      })
    )

    it.effect("A refused request leaves the earlier code valid and the key unused", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const email = "dora@example.org"
        const first = yield* receiptOf(email)
        const code = yield* codeTo(email)
        assertCooling(yield* sendRegistration(email, KEY), 60)
        assert.lengthOf(yield* sql`select from registrations where email = ${email}`, 1)
        assert.strictEqual((yield* sendVerification(first.registrationId, code)).status, 200)
        yield* TestClock.adjust("60 seconds")
        assert.strictEqual((yield* sendLogin(email)).status, 202)
        const login = yield* codeTo(email)
        assertCooling(yield* sendLogin(email), 60)
        assert.strictEqual((yield* sendVerify(email, login)).status, 200)
        yield* TestClock.adjust("60 seconds")
        yield* receiptOf(email, KEY)
      })
    )

    it.effect("A replay of a registration is not counted and sends no mail", () =>
      Effect.gen(function* () {
        const email = "ena@example.org"
        const key = KEY.replace("0c", "1c")
        const receipt = yield* receiptOf(email, key)
        for (let i = 0; i < 5; i++) assert.deepStrictEqual(yield* receiptOf(email, key), receipt)
        assert.lengthOf(yield* mailsTo(email), 1)
      })
    )
  }
)
