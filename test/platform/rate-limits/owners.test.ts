import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { publisher, signIn } from "../../support/actors/owner.ts"
import { assertLimited, assertTold, limited, send, times } from "./limited.ts"

layer(limited("test_limits_owners"))("owners and keys", (it) => {
  it.effect("An account has 240 requests a minute over all its sessions", () =>
    Effect.gen(function* () {
      const one = (yield* signIn(1)).accessToken
      const two = (yield* signIn(1)).accessToken
      const first = yield* send("GET", "/api/v1/profile/payout-address", { token: one })
      assertTold(first, '"account";q=240;w=60', '"account";r=239;t=1')
      // With an owner's token this is an operation of the account.
      const me = yield* send("GET", "/api/v1/me", { token: two })
      assertTold(me, '"account";q=240;w=60', '"account";r=238;t=1')
      yield* times(238, send("GET", "/api/v1/api-keys", { token: two }))
      assertLimited(
        yield* send("GET", "/api/v1/profile/payout-address", { token: one }),
        "problem",
        "account",
        60
      )
      assertLimited(yield* send("GET", "/api/v1/me", { token: one }), "json", "account", 60)
      assertLimited(yield* send("GET", "/api/v1/account/email", { token: one }), "json", "account", 60)
      // A request without a credential has no account, so its answer reports no limit.
      const unknown = yield* send("GET", "/api/v1/me", { token: "no" })
      assert.strictEqual(unknown.status, 401)
      assert.isNull(unknown.headers.get("ratelimit"))
      const other = (yield* signIn(2)).accessToken
      assert.strictEqual((yield* send("GET", "/api/v1/me", { token: other })).status, 200)
      // Ending a session or a key is never limited, because owners do it after losing a credential.
      assert.strictEqual((yield* send("POST", "/api/v1/auth/logout", { token: two })).status, 200)
      const revoke = send("POST", `/api/v1/api-keys/${"0".repeat(16)}/revoke`, { token: one })
      assert.strictEqual((yield* revoke).status, 404)

      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* send("GET", "/api/v1/me", { token: one })).status, 200)
    })
  )

  it.effect("An account confirms an e-mail address 10 times a minute, in addition to its own limit", () =>
    Effect.gen(function* () {
      const { accessToken: token } = yield* signIn(3)
      const verify = send("POST", "/api/v1/account/email/verify", { token, body: { code: "123456" } })
      const refused = yield* times(10, verify)
      assert.isTrue(refused.every(({ status }) => status >= 400 && status < 429))
      assertLimited(yield* verify, "json", "account-code", 60)
      assert.strictEqual((yield* send("GET", "/api/v1/account/email", { token })).status, 200)
    })
  )

  it.effect("A key has 600 requests a minute, apart from those of the account and of other keys", () =>
    Effect.gen(function* () {
      const { accessToken, key: token } = yield* publisher(4)
      yield* TestClock.adjust("1 minute")
      const first = yield* send("GET", "/api/v1/posts", { token })
      assertTold(first, '"key";q=600;w=60', '"key";r=599;t=1')
      const me = yield* send("GET", "/api/v1/me", { token })
      assertTold(me, '"key";q=600;w=60', '"key";r=598;t=1')
      yield* times(598, send("GET", "/api/v1/profile", { token }))
      assertLimited(yield* send("GET", "/api/v1/posts", { token }), "problem", "key", 60)
      assertLimited(yield* send("GET", "/api/v1/me", { token }), "json", "key", 60)
      assert.strictEqual((yield* send("GET", "/api/v1/me", { token: accessToken })).status, 200)
      const other = yield* send("POST", "/api/v1/api-keys", { token: accessToken, body: {} })
      assert.strictEqual((yield* send("GET", "/api/v1/posts", { token: other.body.key })).status, 200)
      // New Posts have a limit of their own.
      const body = { title: "One", freeContentMarkdown: "One" }
      assert.strictEqual((yield* send("POST", "/api/v1/posts", { token, body })).status, 201)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* send("GET", "/api/v1/posts", { token })).status, 200)
    })
  )
})
