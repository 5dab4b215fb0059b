import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { IpNetwork } from "effect/net"
import { TestClock } from "effect/testing"
import { RateLimits } from "../../../src/platform/rate-limits/RateLimits.ts"
import { withSettings } from "../../../src/platform/settings/Settings.ts"
import { publisher, signIn, walletOf } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient, type TestAnswer, type TestRequest } from "../../support/TestClient.ts"
import { rawClient, RawClient } from "../http/RawClient.ts"
import { awayStore } from "./awayStore.ts"

const proxies = withSettings({ trustedProxies: [IpNetwork.fromStringUnsafe("10.0.0.0/8")] })

const limited = (name: string) =>
  service(database(name), 1, { rateLimitFactor: 1 }).pipe(Layer.provide(proxies))

const send = (method: string, path: string, request?: TestRequest) =>
  Effect.flatMap(TestClient, (client) => client.send(method, path, request))

const times = <A, E, R>(count: number, effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.replicateEffect(effect, count), (all) => all as ReadonlyArray<A>)

const statuses = (answers: ReadonlyArray<TestAnswer>) => [...new Set(answers.map(({ status }) => status))]

const assertLimited = (answer: TestAnswer, family: "problem" | "json", limit: string, seconds: number) => {
  assert.strictEqual(answer.status, 429, answer.text)
  assert.strictEqual(answer.headers.get("retry-after"), String(seconds))
  assert.strictEqual(answer.headers.get("ratelimit"), `"${limit}";r=0;t=${seconds}`)
  assert.strictEqual(answer.headers.get("cache-control"), "private, no-store")
  if (family === "problem") {
    assert.match(answer.body.type, /\/problems\/rate-limited$/)
    assert.strictEqual(answer.body.retryAfterSeconds, seconds)
  } else {
    assert.deepStrictEqual(answer.body.data, { code: "rate_limited", retryAfter: seconds })
  }
}

const assertTold = ({ headers }: TestAnswer, policy: string, quota: string) => {
  assert.strictEqual(headers.get("ratelimit-policy"), policy)
  assert.strictEqual(headers.get("ratelimit"), quota)
}

/** Asks for a wallet challenge from this address. */
const challenge = (from: string | undefined, headers: Readonly<Record<string, string>> = {}) =>
  send("POST", "/api/v1/auth/nano/challenge", {
    body: { account: walletOf(1).account },
    headers,
    ...(from === undefined ? {} : { from })
  })

layer(limited("test_limits_sign_in"))("sign-in", (it) => {
  it.effect("has 60 requests a minute of an address, reported on every answer", () =>
    Effect.gen(function* () {
      const from = "192.0.2.1"
      const policy = '"sign-in";q=60;w=60'
      assertTold(yield* challenge(from), policy, '"sign-in";r=59;t=1')
      // Errors count, too, and carry the headers.
      const invalid = yield* send("POST", "/api/v1/auth/nano/challenge", { from, body: {} })
      assert.strictEqual(invalid.status, 422)
      assertTold(invalid, policy, '"sign-in";r=58;t=2')
      const malformed = yield* send("POST", "/api/v1/auth/nano/claim", { from, body: "{" })
      assert.strictEqual(malformed.status, 400)
      assertTold(malformed, policy, '"sign-in";r=57;t=3')
      const wrong = yield* send("POST", "/api/v1/auth/verify", {
        from,
        body: { email: "nobody@example.org", code: "123456" }
      })
      assert.strictEqual(wrong.status, 401)
      assertTold(wrong, policy, '"sign-in";r=56;t=4')
      assert.deepStrictEqual(statuses(yield* times(56, challenge(from))), [201])

      const refused = yield* challenge(from)
      assertLimited(refused, "problem", "sign-in", 60)
      assert.strictEqual(refused.headers.get("ratelimit-policy"), policy)
      const refusedToo = yield* Effect.forEach(
        [
          ["/api/v1/auth/login", { email: "ada@example.org" }],
          ["/api/v1/auth/verify", { email: "ada@example.org", code: "123456" }],
          ["/api/v1/auth/nano/claim", {}],
          ["/api/v1/registrations", { email: "ada@example.org" }],
          ["/api/v1/registrations/01970000-0000-7000-8000-000000000000/verify", { code: "123456" }]
        ] as const,
        ([path, body]) => send("POST", path, { from, body })
      )
      for (const answer of refusedToo) assertLimited(answer, "problem", "sign-in", 60)
      // Other limits of the same address are not affected.
      const refresh = yield* send("POST", "/api/v1/auth/refresh", { from, body: { refreshToken: "no" } })
      assert.strictEqual(refresh.status, 401)
      assertTold(refresh, '"refresh";q=300;w=60', '"refresh";r=299;t=1')

      yield* TestClock.adjust(59_999)
      assertLimited(yield* challenge(from), "problem", "sign-in", 1)
      yield* TestClock.adjust(1)
      assertTold(yield* challenge(from), policy, '"sign-in";r=59;t=1')
    })
  )

  it.effect("counts an IPv6 /64 as one, IPv4 in IPv6 as IPv4, and unknown addresses as one", () =>
    Effect.gen(function* () {
      const remaining = (from?: string) =>
        Effect.map(challenge(from), ({ headers }) => /r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1])
      assert.strictEqual(yield* remaining("2001:db8:1:1::1"), "59")
      assert.strictEqual(yield* remaining("2001:db8:1:1:ffff:ffff:ffff:ffff"), "58")
      assert.strictEqual(yield* remaining("2001:db8:1:2::1"), "59")
      assert.strictEqual(yield* remaining("192.0.2.10"), "59")
      assert.strictEqual(yield* remaining("::ffff:192.0.2.10"), "58")
      assert.strictEqual(yield* remaining(), "59")
      assert.strictEqual(yield* remaining(), "58")
    })
  )

  it.effect("counts the client of a trusted proxy, and believes no other sender", () =>
    Effect.gen(function* () {
      const client = { forwarded: 'for="203.0.113.1:4711"' }
      assert.deepStrictEqual(statuses(yield* times(60, challenge("10.0.0.1", client))), [201])
      assertLimited(yield* challenge("10.0.0.2", client), "problem", "sign-in", 60)
      assertLimited(
        yield* challenge("10.0.0.1", { "x-forwarded-for": "203.0.113.1" }),
        "problem",
        "sign-in",
        60
      )
      assert.strictEqual((yield* challenge("10.0.0.1", { forwarded: "for=203.0.113.2" })).status, 201)
      // A sender that claims a new address each time still counts as one.
      const claims = Array.from({ length: 61 }, (_, i) =>
        challenge("203.0.113.9", { forwarded: `for=198.51.100.${i}`, "x-forwarded-for": `198.51.100.${i}` })
      )
      const answers = yield* Effect.all(claims)
      assert.deepStrictEqual(answers.filter(({ status }) => status === 429).length, 1)
    })
  )

  it.effect("counts hostile headers of a proxy's client as the proxy's", () =>
    Effect.gen(function* () {
      const hostile = [
        'for="',
        "for=_x",
        ",".repeat(4_000),
        'for="\\"',
        "for=1.1.1.1;for=2.2.2.2",
        "\u00ff=1"
      ]
      for (const [index, forwarded] of hostile.entries()) {
        const answer = yield* challenge("10.9.9.9", { forwarded })
        assert.strictEqual(answer.status, 201)
        assert.strictEqual(answer.headers.get("ratelimit"), `"sign-in";r=${59 - index};t=${index + 1}`)
      }
    })
  )
})

layer(limited("test_limits_owners"))("owners and keys", (it) => {
  it.effect("an account has 240 requests a minute over all its sessions", () =>
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

  it.effect("confirmations of an e-mail address are 10 a minute, beside the account's", () =>
    Effect.gen(function* () {
      const { accessToken: token } = yield* signIn(3)
      const verify = send("POST", "/api/v1/account/email/verify", { token, body: { code: "123456" } })
      const refused = yield* times(10, verify)
      assert.isTrue(refused.every(({ status }) => status >= 400 && status < 429))
      assertLimited(yield* verify, "json", "account-code", 60)
      assert.strictEqual((yield* send("GET", "/api/v1/account/email", { token })).status, 200)
    })
  )

  it.effect("a key has 600 requests a minute, beside those of the account and of other keys", () =>
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

layer(limited("test_limits_creation"))("new Posts (spec 4.3.6)", (it) => {
  const body = { title: "On pennies", freeContentMarkdown: "A penny." }
  const create = (token: string, key?: string, draft: object = body) =>
    send("POST", "/api/v1/posts", {
      token,
      body: draft,
      headers: key === undefined ? {} : { "idempotency-key": key }
    })

  it.effect("are 120 a minute of a key; an exact replay is before any limit, and not counted", () =>
    Effect.gen(function* () {
      const { accessToken, key } = yield* publisher(1)
      const policy = '"post-creation";q=120;w=60'
      const first = yield* create(key, "first")
      assertTold(first, policy, '"post-creation";r=119;t=1')
      for (let i = 0; i < 10; i++) {
        const replayed = yield* create(key, "first")
        assert.strictEqual(replayed.status, 201)
        assert.strictEqual(replayed.headers.get("x-idempotency-replay"), "true")
      }
      assertTold(yield* create(key), policy, '"post-creation";r=118;t=1')
      // A request that was counted and then refused stays counted, and its answer reports it.
      const unknown = yield* create(key, undefined, { ...body, primaryCategoryId: 999 })
      assert.strictEqual(unknown.status, 422)
      assertTold(unknown, policy, '"post-creation";r=117;t=2')
      // A body that is not a draft is refused before the limit.
      const invalid = yield* create(key, undefined, { title: "Nothing" })
      assert.strictEqual(invalid.status, 422)
      assert.isNull(invalid.headers.get("ratelimit"))
      assert.deepStrictEqual(statuses(yield* times(117, create(key))), [201])

      assertLimited(yield* create(key), "problem", "post-creation", 60)
      assertLimited(yield* create(key, "second"), "problem", "post-creation", 60)
      const replayed = yield* create(key, "first")
      assert.strictEqual(replayed.status, 201)
      assert.strictEqual(replayed.headers.get("x-idempotency-replay"), "true")
      assert.strictEqual(replayed.body.id, first.body.id)
      const changed = yield* create(key, "first", { ...body, title: "On pounds" })
      assert.strictEqual(changed.status, 409)

      const other = yield* send("POST", "/api/v1/api-keys", { token: accessToken, body: {} })
      assert.strictEqual((yield* create(other.body.key)).status, 201)
      assert.strictEqual((yield* send("GET", "/api/v1/posts", { token: key })).status, 200)
      yield* TestClock.adjust("1 minute")
      assertTold(yield* create(key, "second"), policy, '"post-creation";r=119;t=1')
    })
  )

  it.effect("a name that is free again makes a new Post, which the limit counts", () =>
    Effect.gen(function* () {
      const { key } = yield* publisher(2)
      yield* create(key, "daily")
      yield* TestClock.adjust("24 hours")
      yield* times(120, create(key))
      assertLimited(yield* create(key, "daily"), "problem", "post-creation", 60)
      yield* TestClock.adjust("1 minute")
      const created = yield* create(key, "daily")
      assert.strictEqual(created.status, 201)
      assert.isNull(created.headers.get("x-idempotency-replay"))
    })
  )

  it.effect("of many requests at once exactly the limit is created", () =>
    Effect.gen(function* () {
      const { key } = yield* publisher(3)
      const answers = yield* Effect.all(
        Array.from({ length: 150 }, (_, i) => create(key, i % 2 === 0 ? `name-${i}` : undefined)),
        { concurrency: 20 }
      )
      assert.lengthOf(
        answers.filter(({ status }) => status === 201),
        120
      )
      assert.deepStrictEqual(statuses(answers).toSorted(), [201, 429])
    })
  )
})

layer(limited("test_limits_reads"))("public reads", (it) => {
  it.effect("are 1200 a minute of an address, pages of Posts and the keys of tokens among them", () =>
    Effect.gen(function* () {
      const from = "192.0.2.1"
      const read = send("GET", "/api/categories", { from })
      assertTold(yield* read, '"public-read";q=1200;w=60', '"public-read";r=1199;t=1')
      yield* send("GET", "/.well-known/jwks.json", { from })
      yield* send("GET", "/@nobody/nothing", { from })
      const answers = yield* times(1197, read)
      assert.strictEqual(answers.at(-1)?.headers.get("ratelimit"), '"public-read";r=0;t=60')
      assertLimited(yield* read, "json", "public-read", 60)
      assertLimited(yield* send("GET", "/.well-known/jwks.json", { from }), "problem", "public-read", 60)
      assertLimited(yield* send("GET", "/@nobody/nothing", { from }), "problem", "public-read", 60)
      // Requests of supervisors and their metrics have no limit.
      for (const path of ["/health/live", "/health/ready", "/metrics", "/openapi.json"]) {
        assert.strictEqual((yield* send("GET", path, { from })).status, 200)
      }
    })
  )
})

const withoutCounters = Layer.fresh(RateLimits.layer).pipe(Layer.provide(awayStore))

layer(rawClient(database("test_limits_away"), withoutCounters))("while the store is away", (it) => {
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

  it.effect("sign-in fails closed with 503 in the family of its operation, all else goes on", () =>
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
