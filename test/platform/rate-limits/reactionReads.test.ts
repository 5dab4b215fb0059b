import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { signIn } from "../../support/actors/owner.ts"
import { assertLimited, assertTold, limited, send, statuses, times } from "./limited.ts"

const POST = "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e"
const PUBLIC = `/api/posts/${POST}/reactions`
const OWN = `/api/v1/posts/${POST}/reactions`

layer(limited("test_limits_reactions"))("reads of reactions", (it) => {
  it.effect("An address reads reactions 40 times in 10 seconds, and its other reads go on", () =>
    Effect.gen(function* () {
      const from = "192.0.2.1"
      const read = send("GET", PUBLIC, { from })
      assertTold(yield* read, '"reaction-read";q=40;w=10', '"reaction-read";r=39;t=1')
      assert.deepStrictEqual(statuses(yield* times(39, read)), [404])
      assertLimited(yield* read, "json", "reaction-read", 10)
      assert.strictEqual((yield* send("GET", "/api/categories", { from })).status, 200)
      assert.strictEqual((yield* send("GET", PUBLIC, { from: "192.0.2.2" })).status, 404)
    })
  )

  it.effect("A user reads reactions 40 times in 10 seconds, from any address and path", () =>
    Effect.gen(function* () {
      const { accessToken: token } = yield* signIn(1)
      assert.deepStrictEqual(
        statuses(yield* times(20, send("GET", PUBLIC, { token, from: "192.0.2.3" }))),
        [404]
      )
      assert.deepStrictEqual(
        statuses(yield* times(20, send("GET", OWN, { token, from: "192.0.2.4" }))),
        [404]
      )
      assertLimited(yield* send("GET", OWN, { token, from: "192.0.2.5" }), "json", "reaction-read", 10)
      assertLimited(yield* send("GET", PUBLIC, { token, from: "192.0.2.6" }), "json", "reaction-read", 10)
      const { accessToken } = yield* signIn(2)
      const from = "192.0.2.3"
      assert.strictEqual((yield* send("GET", PUBLIC, { token: accessToken, from })).status, 404)
      assert.strictEqual((yield* send("GET", PUBLIC, { from })).status, 404)
      // A reaction is no read.
      const body = { reaction: "heart" }
      assert.strictEqual((yield* send("PUT", OWN, { token, body })).status, 404)
    })
  )
})
