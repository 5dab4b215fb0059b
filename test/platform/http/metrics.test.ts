import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { IpNetwork } from "effect/net"
import { withSettings } from "../../../src/platform/ports/Settings.ts"
import { database } from "../../support/Database.ts"
import { LOCAL, service, TestClient, type TestRequest } from "../../support/TestClient.ts"

const TOKEN = "metrics-token-of-more-than-32-characters"

const send = (path: string, request?: TestRequest) =>
  Effect.flatMap(TestClient, (client) => client.send("GET", path, request))

const statusOf = (request: TestRequest) => Effect.map(send("/metrics", request), ({ status }) => status)

const settings = withSettings({
  metricsToken: Redacted.make(TOKEN),
  trustedProxies: [IpNetwork.fromStringUnsafe("10.0.0.0/8")]
})

layer(service(database("test_http_metrics")).pipe(Layer.provide(settings)))(
  "the metrics of a process",
  (it) => {
    it.effect("Metrics are for private addresses, and for bearers of the token from any address", () =>
      Effect.gen(function* () {
        for (const from of ["127.0.0.1", "::1", "10.9.8.7", "192.168.3.4", "fd12::1"])
          assert.strictEqual(yield* statusOf({ from }), 200, from)
        for (const from of [undefined, "192.0.2.1", "2001:db8::1", "10.9.8.7"]) {
          const forwarded = { "x-forwarded-for": "192.168.0.1" }
          const place = from === undefined ? {} : { from }
          assert.strictEqual(yield* statusOf({ ...place, headers: forwarded, token: TOKEN }), 200, from)
          assert.strictEqual(yield* statusOf({ ...place, headers: forwarded }), 404, from)
          for (const token of [`${TOKEN}x`, TOKEN.slice(1), "x"])
            assert.strictEqual(yield* statusOf({ ...place, headers: forwarded, token }), 404, from)
        }
        const refused = yield* send("/metrics", { from: "192.0.2.1" })
        const unknown = yield* send("/nowhere", { from: "192.0.2.1" })
        assert.strictEqual(refused.text, unknown.text)
      })
    )

    it.effect("Load balancers and monitors learn from any address whether the process is ready", () =>
      Effect.gen(function* () {
        for (const request of [
          { from: "35.191.0.1" },
          { ...LOCAL, headers: { "x-forwarded-for": "192.0.2.1" } }
        ]) {
          for (const path of ["/health/live", "/health/ready"])
            assert.strictEqual((yield* send(path, request)).status, 200, path)
        }
      })
    )

    it.effect("Requests that arrive together share a text, and a later one is fresh", () =>
      Effect.gen(function* () {
        const together = yield* Effect.all(
          Array.from({ length: 8 }, () => send("/metrics", LOCAL)),
          { concurrency: "unbounded" }
        )
        const texts = new Set(together.map(({ text }) => text))
        assert.strictEqual(texts.size, 1)
        assert.isFalse(texts.has((yield* send("/metrics", LOCAL)).text))
      })
    )
  }
)

layer(service(database("test_http_metrics_no_token")))("a service without a token for metrics", (it) => {
  it.effect("No token admits a caller from a public address", () =>
    Effect.gen(function* () {
      for (const token of ["undefined", "", "x"])
        assert.strictEqual(yield* statusOf({ from: "192.0.2.1", token }), 404)
      assert.strictEqual(yield* statusOf({ from: "192.0.2.1" }), 404)
    })
  )
})
