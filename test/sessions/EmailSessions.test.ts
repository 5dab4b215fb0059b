import { assert, layer } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { SessionId } from "../../schemas/Ids.ts"
import { hashOf } from "../../src/secrets/Secrets.ts"
import { Sessions } from "../../src/sessions/Sessions.ts"
import { emailColumns, insertOwner } from "../profile/owners.ts"
import { database } from "../support/Database.ts"
import { service, Wire } from "../support/Wire.ts"
import { accessOf, assertProblem, refreshed, sendRefresh } from "./flows.ts"

const THIRTY_DAYS = 30 * 24 * 60 * 60 * 1000

layer(service(database("test_email_sessions")))("native e-mail sessions (3.5, 5.5)", (it) => {
  /** A session as a verified code opens it. */
  const open = Effect.fnUntraced(function* (number: number) {
    const sql = yield* SqlClient.SqlClient
    const sessions = yield* Sessions
    const random = yield* SecureRandom.SecureRandom
    yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
    const created_at = new Date(Date.UTC(2026, 10, 21, 5))
    const owner_id = yield* insertOwner(number, emailColumns(number))
    const id = SessionId.make(yield* random.uuidV7())
    const expires_at = new Date(created_at.getTime() + THIRTY_DAYS)
    yield* sql`insert into sessions ${sql.insert({ id, owner_id, method: "email", created_at, expires_at })}`
    const token = yield* sessions.newRefreshToken("email")
    yield* sql`insert into refresh_tokens ${sql.insert({ token_hash: hashOf(token), session_id: id, created_at })}`
    return yield* sessions.pairOf({ ownerId: owner_id, sessionId: id, method: "email" }, token)
  })
  const logout = (token: string) =>
    Effect.flatMap(Wire, (wire) => wire.send("POST", "/api/v1/auth/logout", { token }))

  it.effect("logout leaves the signed access token valid, but private owner routes check liveness", () =>
    Effect.gen(function* () {
      const wire = yield* Wire
      const sessions = yield* Sessions
      const { accessToken, refreshToken } = yield* open(1)
      assert.match(refreshToken, /^ppe_[0-9A-Za-z]{43}$/)
      assert.strictEqual(yield* accessOf(accessToken), 200)
      const answer = yield* logout(accessToken)
      assert.deepStrictEqual(answer.body, {
        loggedOut: true,
        scope: "local",
        accessTokenValidUntilExpiry: true
      })

      assert.strictEqual(yield* accessOf(accessToken), 401)
      assert.strictEqual((yield* wire.send("GET", "/api/v1/me", { token: accessToken })).status, 401)
      assertProblem(yield* logout(accessToken), 401, "invalid-credential")
      assertProblem(yield* sendRefresh(refreshToken), 401, "session-expired")
      // Where it only says who reads, the signature is enough, until it expires.
      assert.isTrue(Option.isSome(yield* sessions.viewerOf(Redacted.make(accessToken))))
      assert.strictEqual((yield* wire.send("GET", "/api/posts", { token: accessToken })).status, 200)
      yield* TestClock.adjust("15 minutes")
      assert.strictEqual((yield* wire.send("GET", "/api/posts", { token: accessToken })).status, 401)
    })
  )

  it.effect("rotate, repeat within ten seconds and detect reuse as wallet sessions do", () =>
    Effect.gen(function* () {
      const { refreshToken } = yield* open(2)
      const pair = yield* refreshed(refreshToken)
      assert.match(pair.refreshToken, /^ppe_[0-9A-Za-z]{43}$/)
      yield* TestClock.adjust(10_000)
      assert.deepStrictEqual(yield* refreshed(refreshToken), pair)
      yield* TestClock.adjust(1)
      assertProblem(yield* sendRefresh(refreshToken), 401, "session-expired")
      assertProblem(yield* sendRefresh(pair.refreshToken), 401, "session-expired")
      assert.strictEqual(yield* accessOf(pair.accessToken), 401)
    })
  )

  it.effect("/api/v1/me says how the owner signed in", () =>
    Effect.gen(function* () {
      const { accessToken } = yield* open(3)
      const { body } = yield* (yield* Wire).send("GET", "/api/v1/me", { token: accessToken })
      assert.deepInclude(body.credential, { kind: "owner_session", method: "email" })
      assert.deepInclude(body.identity, { walletLinked: false, walletAddress: null })
    })
  )
})
