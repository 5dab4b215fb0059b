import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { LOCAL } from "../../support/TestClient.ts"
import { assertLimited, assertTold, limited, send, times } from "./limited.ts"

layer(limited("test_limits_reads"))("public reads", (it) => {
  it.effect("An address has 1200 public reads a minute, including pages and the keys of tokens", () =>
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
      assertLimited(yield* send("GET", "/@nobody/nothing", { from }), "page", "public-read", 60)
      // Requests of supervisors and their metrics have no limit.
      for (const path of ["/health/live", "/health/ready", "/openapi.json"]) {
        assert.strictEqual((yield* send("GET", path, { from })).status, 200)
      }
      assert.strictEqual((yield* send("GET", "/metrics", LOCAL)).status, 200)
    })
  )
})
