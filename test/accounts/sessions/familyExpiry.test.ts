import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { signIn } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { codeTo } from "../../support/mailbox.ts"
import { service } from "../../support/TestClient.ts"
import { confirmed } from "../account-email/flows.ts"
import { registered } from "../registrations/flows.ts"
import { accessOf, assertProblem, refreshed, sendLogin, sendRefresh, sendVerify } from "./flows.ts"

const DAY = 24 * 60 * 60 * 1000

interface Pair {
  readonly accessToken: string
  readonly refreshToken: string
}

layer(service(database("test_family_expiry")))("refresh families (3.5, 5.4, 8)", (it) => {
  const login = Effect.fnUntraced(function* (email: string) {
    yield* registered(email)
    // The family's age counts from the login, not from the registration.
    yield* TestClock.adjust(DAY)
    yield* sendLogin(email)
    const { body } = yield* sendVerify(email, yield* codeTo(email))
    return body as Pair
  })
  const opened = {
    "a wallet login": signIn(1),
    "a registration": registered("ada@example.org"),
    "a login by e-mail": login("bea@example.org")
  }

  for (const [name, open] of Object.entries(opened)) {
    it.effect(`The family of ${name} ends 30 days later, to the millisecond, despite rotations`, () =>
      Effect.gen(function* () {
        let pair: Pair = yield* open
        for (let day = 1; day < 30; day++) {
          yield* TestClock.adjust(DAY)
          pair = yield* refreshed(pair.refreshToken)
        }
        yield* TestClock.adjust(DAY - 1)
        const last = yield* refreshed(pair.refreshToken)
        assert.strictEqual(yield* accessOf(last.accessToken), 200)
        yield* TestClock.adjust(1)
        // The access token has not expired and a retry was still allowed, but the family has ended.
        assert.strictEqual(yield* accessOf(last.accessToken), 401)
        for (const { refreshToken } of [pair, last])
          assertProblem(yield* sendRefresh(refreshToken), 401, "session-expired")
      })
    )
  }

  it.effect("The replacement pair of a confirmed address does not move the end of the family", () =>
    Effect.gen(function* () {
      const first = yield* registered("cleo@example.org")
      yield* TestClock.adjust(29 * DAY)
      const { accessToken } = yield* refreshed(first.refreshToken)
      const { session } = yield* confirmed(accessToken, "cleo2@example.org")
      yield* TestClock.adjust(DAY - 1)
      const last = yield* refreshed(session.refreshToken)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* accessOf(last.accessToken), 401)
      assertProblem(yield* sendRefresh(last.refreshToken), 401, "session-expired")
    })
  )

  it.effect(
    "The former token gets the pair of a confirmed address for 10.000 seconds, but not for 10.001",
    () =>
      Effect.gen(function* () {
        for (const [millis, status] of [
          [10_000, 200],
          [10_001, 401]
        ] as const) {
          const first = yield* registered(`dora${millis}@example.org`)
          const { session } = yield* confirmed(first.accessToken, `dorothea${millis}@example.org`)
          yield* TestClock.adjust(millis)
          const answer = yield* sendRefresh(first.refreshToken)
          assert.strictEqual(answer.status, status)
          if (status === 200) assert.deepStrictEqual(answer.body, session)
          else assertProblem(yield* sendRefresh(session.refreshToken), 401, "session-expired")
        }
      })
  )
})
