import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { walletOf } from "../../support/actors/owner.ts"
import { assertLimited, assertTold, limited, send, statuses, times } from "./limited.ts"

/** Asks for a wallet challenge from this address. */
const challenge = (from: string | undefined, headers: Readonly<Record<string, string>> = {}) =>
  send("POST", "/api/v1/auth/nano/challenge", {
    body: { account: walletOf(1).account },
    headers,
    ...(from === undefined ? {} : { from })
  })

layer(limited("test_limits_sign_in"))("sign-in", (it) => {
  it.effect("An address has 60 sign-in requests a minute, reported on every answer", () =>
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

  it.effect("An IPv6 /64 counts as one, IPv4 in IPv6 as IPv4, and unknown addresses as one", () =>
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

  it.effect("The client of a trusted proxy counts, and no other sender is believed", () =>
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

  it.effect("Hostile headers of a proxy's client count as the proxy's", () =>
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
