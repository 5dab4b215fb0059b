import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { database } from "../../support/Database.ts"
import { codeTo, wrongCode } from "../../support/mailbox.ts"
import { service } from "../../support/TestClient.ts"
import { assertProblem, fieldCodes } from "../sessions/flows.ts"
import { receiptOf, sendVerification } from "./flows.ts"

layer(service(database("test_registration_verification")))("verifying a registration (3.4, 4.1)", (it) => {
  it.effect("Of two registrations of one mailbox in two spellings, the first verified one wins", () =>
    Effect.gen(function* () {
      const first = yield* receiptOf("Nat@example.org")
      const firstCode = yield* codeTo("Nat@example.org")
      const second = yield* receiptOf("nat@example.org")
      const secondCode = yield* codeTo("nat@example.org")
      const answers = yield* Effect.all(
        [
          sendVerification(first.registrationId, firstCode),
          sendVerification(second.registrationId, secondCode)
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, 409])
    })
  )

  it.effect("A code has exactly six digits", () =>
    Effect.gen(function* () {
      const { registrationId } = yield* receiptOf("gil@example.org")
      for (const code of ["12345", "1234567", "12345a", "１２３４５６", " 123456", 123_456, null])
        assert.deepStrictEqual(fieldCodes(yield* sendVerification(registrationId, code)), [
          ["code", "invalid"]
        ])
    })
  )

  it.effect("Five wrong codes end a code, and four do not", () =>
    Effect.gen(function* () {
      for (const [email, wrong] of [
        ["hal@example.org", 4],
        ["ida@example.org", 5]
      ] as const) {
        const { registrationId } = yield* receiptOf(email)
        const code = yield* codeTo(email)
        for (let i = 0; i < wrong; i++)
          assertProblem(yield* sendVerification(registrationId, wrongCode(code)), 401, "invalid-code")
        const { status } = yield* sendVerification(registrationId, code)
        assert.strictEqual(status, wrong === 4 ? 200 : 401)
      }
    })
  )

  it.effect("A code lives ten minutes", () =>
    Effect.gen(function* () {
      for (const [email, millis, status] of [
        ["jan@example.org", 599_999, 200],
        ["kai@example.org", 600_000, 401]
      ] as const) {
        const { registrationId } = yield* receiptOf(email)
        const code = yield* codeTo(email)
        yield* TestClock.adjust(millis)
        assert.strictEqual((yield* sendVerification(registrationId, code)).status, status)
      }
    })
  )

  it.effect("A code is used once, and only for its own registration", () =>
    Effect.gen(function* () {
      const first = yield* receiptOf("lea@example.org")
      const code = yield* codeTo("lea@example.org")
      const other = yield* receiptOf("max@example.org")
      assertProblem(yield* sendVerification(other.registrationId, code), 401, "invalid-code")
      assert.strictEqual((yield* sendVerification(first.registrationId, code)).status, 200)
      const repeat = yield* sendVerification(first.registrationId, code)
      assertProblem(repeat, 401, "invalid-code")
      // The account exists, so a client that lost the answer logs in.
      assert.match(repeat.body.detail, /POST \/api\/v1\/auth\/login/)
      assert.strictEqual((yield* sendVerification(first.registrationId, wrongCode(code))).text, repeat.text)
      assertProblem(
        yield* sendVerification("3f2b8c1e-7d65-4a90-9b1f-2c4d6e8f0a12", code),
        401,
        "invalid-code"
      )
    })
  )

  it.effect("Of two registrations of one address, the second verified one gets 409 email-taken", () =>
    Effect.gen(function* () {
      const email = "nia@example.org"
      const first = yield* receiptOf(email)
      const firstCode = yield* codeTo(email)
      const second = yield* receiptOf(email)
      const secondCode = yield* codeTo(email)
      assert.strictEqual((yield* sendVerification(second.registrationId, secondCode)).status, 200)
      assertProblem(yield* sendVerification(first.registrationId, firstCode), 409, "email-taken")
    })
  )
})
