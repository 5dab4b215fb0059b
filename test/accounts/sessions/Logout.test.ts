import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { signIn } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { accessOf, assertProblem, refreshed, sendRefresh } from "./flows.ts"

layer(service(database("test_logout")))("logout (3.5, 4.1)", (it) => {
  const logout = (token: string) =>
    Effect.flatMap(TestClient, (client) => client.send("POST", "/api/v1/auth/logout", { token }))

  it.effect("A logout of a wallet session invalidates access and refresh tokens immediately", () =>
    Effect.gen(function* () {
      const { accessToken, refreshToken } = yield* signIn(1)
      const pair = yield* refreshed(refreshToken)
      const answer = yield* logout(pair.accessToken)
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(answer.body, {
        loggedOut: true,
        scope: "local",
        accessTokenValidUntilExpiry: false
      })
      for (const token of [accessToken, pair.accessToken]) {
        assert.strictEqual(yield* accessOf(token), 401)
        assertProblem(yield* logout(token), 401, "invalid-credential")
      }
      // The first token is within its ten seconds, but an ended session allows no retry.
      for (const token of [refreshToken, pair.refreshToken]) {
        assertProblem(yield* sendRefresh(token), 401, "session-expired")
      }
    })
  )

  it.effect("A logout ends only the calling session", () =>
    Effect.gen(function* () {
      const [mine, alsoMine, theirs] = yield* Effect.all([signIn(2), signIn(2), signIn(3)])
      assert.strictEqual((yield* logout(mine.accessToken)).status, 200)
      assert.strictEqual(yield* accessOf(mine.accessToken), 401)
      for (const other of [alsoMine, theirs]) {
        assert.strictEqual(yield* accessOf(other.accessToken), 200)
        yield* refreshed(other.refreshToken)
      }
    })
  )

  it.effect("A logout leaves the owner's Publishing keys valid", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { accessToken } = yield* signIn(4)
      const { body } = yield* client.send("POST", "/api/v1/api-keys", { token: accessToken, body: {} })
      yield* logout(accessToken)
      assert.strictEqual((yield* client.send("GET", "/api/v1/me", { token: body.key })).status, 200)
    })
  )

  it.effect("A public read with a dead token is refused", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { accessToken } = yield* signIn(5)
      assert.strictEqual((yield* client.send("GET", "/api/posts", { token: accessToken })).status, 200)
      yield* logout(accessToken)
      const answer = yield* client.send("GET", "/api/posts", { token: accessToken })
      assert.strictEqual(answer.status, 401)
      assert.strictEqual(answer.body.data.code, "unauthorized")
    })
  )
})
