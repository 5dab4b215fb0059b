import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { RateLimits } from "../../../src/platform/rate-limits/RateLimits.ts"
import { publisher, walletOf } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { type TestRequest } from "../../support/TestClient.ts"
import { rawClient, RawClient } from "../http/RawClient.ts"
import { awayStore } from "./awayStore.ts"

const withoutCounters = Layer.fresh(RateLimits.layer).pipe(Layer.provide(awayStore))

layer(rawClient(database("test_limits_away"), withoutCounters))("an unavailable store", (it) => {
  const ask = (method: string, path: string, { body, token }: TestRequest = {}) =>
    Effect.flatMap(RawClient, (raw) =>
      raw.send(method, path, {
        headers: {
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` })
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    )

  it.effect("An unavailable store closes sign-in with 503, and everything else goes on", () =>
    Effect.gen(function* () {
      const { accessToken, key } = yield* publisher(1)
      const challenge = { body: { account: walletOf(1).account } }
      const closed = yield* ask("POST", "/api/v1/auth/nano/challenge", challenge)
      assert.strictEqual(closed.status, 503)
      assert.match(closed.body.type, /\/problems\/dependency-unavailable$/)
      assert.match(closed.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
      const verify = { token: accessToken, body: { code: "123456" } }
      const closedToo = yield* ask("POST", "/api/v1/account/email/verify", verify)
      assert.strictEqual(closedToo.status, 503)
      assert.deepStrictEqual(closedToo.body.data, { code: "dependency_unavailable" })

      const refresh = yield* ask("POST", "/api/v1/auth/refresh", { body: { refreshToken: "no" } })
      assert.strictEqual(refresh.status, 401)
      assert.isNull(refresh.headers.get("ratelimit"))
      const draft = { title: "On pennies", freeContentMarkdown: "A penny." }
      const open = yield* Effect.all([
        ask("GET", "/api/v1/me", { token: accessToken }),
        ask("GET", "/api/v1/me", { token: key }),
        ask("POST", "/api/v1/posts", { token: key, body: draft }),
        ask("GET", "/api/posts"),
        ask("GET", "/@nobody/nothing"),
        ask("GET", "/health/ready")
      ])
      assert.deepStrictEqual(
        open.map(({ status }) => status),
        [200, 200, 201, 200, 404, 200]
      )
    })
  )
})
