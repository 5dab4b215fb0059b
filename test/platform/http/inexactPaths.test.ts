import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import { ServicePaths } from "../../../src/platform/http/ServicePaths.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

// Twelve requests a minute.
layer(service(database("test_http_nearest"), 1, { rateLimitFactor: 0.001 }))("an inexact path", (it) => {
  it.effect("The rate limit decides before a near path is looked for", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const near = vi.spyOn(yield* ServicePaths, "nearest")
      const ask = client.send("GET", "/api/v1/posts/", { from: "192.0.2.99" })
      for (let n = 0; n < 12; n++) assert.strictEqual((yield* ask).status, 404)
      assert.strictEqual(near.mock.calls.length, 12)
      for (let n = 0; n < 3; n++) assert.strictEqual((yield* ask).status, 429)
      assert.strictEqual(near.mock.calls.length, 12)
      near.mockRestore()
    })
  )
})
