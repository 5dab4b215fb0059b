import { assert, layer } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Sessions } from "../../../src/accounts/sessions/Sessions.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { registered } from "../registrations/flows.ts"
import { accessOf, assertProblem, refreshed, sendRefresh } from "./flows.ts"

layer(service(database("test_email_sessions")))("native e-mail sessions (3.5, 5.5)", (it) => {
  const logout = (token: string) =>
    Effect.flatMap(TestClient, (client) => client.send("POST", "/api/v1/auth/logout", { token }))
  /** Returns the status of a public read with this access token. */
  const readingAs = (token: string) =>
    Effect.map(
      Effect.flatMap(TestClient, (client) => client.send("GET", "/api/posts", { token })),
      ({ status }) => status
    )

  it.effect("A logout leaves the signed access token valid, but private owner routes refuse it", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const sessions = yield* Sessions
      const { accessToken, refreshToken } = yield* registered("ada@example.org")
      assert.match(refreshToken, /^ppe_[0-9A-Za-z]{43}$/)
      assert.strictEqual(yield* accessOf(accessToken), 200)
      const answer = yield* logout(accessToken)
      assert.deepStrictEqual(answer.body, {
        loggedOut: true,
        scope: "local",
        accessTokenValidUntilExpiry: true
      })

      assert.strictEqual(yield* accessOf(accessToken), 401)
      assert.strictEqual((yield* client.send("GET", "/api/v1/me", { token: accessToken })).status, 401)
      assertProblem(yield* logout(accessToken), 401, "invalid-credential")
      assertProblem(yield* sendRefresh(refreshToken), 401, "session-expired")
      // Public reads accept the access token by its signature alone until it expires.
      assert.isTrue(Option.isSome(yield* sessions.viewerOf(Redacted.make(accessToken))))
      yield* TestClock.adjust(15 * 60_000 - 1)
      assert.strictEqual(yield* readingAs(accessToken), 200)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* readingAs(accessToken), 401)
    })
  )

  it.effect("An access token expires after 15 minutes, to the millisecond, while its session lives on", () =>
    Effect.gen(function* () {
      const { accessToken, refreshToken } = yield* registered("bea@example.org")
      yield* TestClock.adjust(15 * 60_000 - 1)
      assert.strictEqual(yield* accessOf(accessToken), 200)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* accessOf(accessToken), 401)
      yield* refreshed(refreshToken)
    })
  )

  it.effect("A rotation returns the same pair again for 10.000 seconds", () =>
    Effect.gen(function* () {
      const { refreshToken } = yield* registered("cleo@example.org")
      const pair = yield* refreshed(refreshToken)
      assert.match(pair.refreshToken, /^ppe_[0-9A-Za-z]{43}$/)
      yield* TestClock.adjust(10_000)
      assert.deepStrictEqual(yield* refreshed(refreshToken), pair)
      assert.strictEqual(yield* accessOf(pair.accessToken), 200)
    })
  )

  it.effect("A retry after 10.001 seconds revokes the family, including the new tokens", () =>
    Effect.gen(function* () {
      const { refreshToken } = yield* registered("dora@example.org")
      const pair = yield* refreshed(refreshToken)
      yield* TestClock.adjust(10_001)
      assertProblem(yield* sendRefresh(refreshToken), 401, "session-expired")
      assertProblem(yield* sendRefresh(pair.refreshToken), 401, "session-expired")
      assert.strictEqual(yield* accessOf(pair.accessToken), 401)
    })
  )

  it.effect("The response of /api/v1/me says that the owner signed in by e-mail", () =>
    Effect.gen(function* () {
      const email = "ena@example.org"
      const { accessToken } = yield* registered(email)
      const { body } = yield* (yield* TestClient).send("GET", "/api/v1/me", { token: accessToken })
      assert.deepInclude(body.credential, { kind: "owner_session", method: "email" })
      assert.deepInclude(body.identity, { walletLinked: false, walletAddress: null, email })
    })
  )
})
