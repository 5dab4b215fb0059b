import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { IpNetwork } from "effect/net"
import * as NanoLedgerDevelopment from "../../../layers/nano/NanoLedgerDevelopment.ts"
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

const LOCAL_TOKEN = "local-token-of-more-than-32-characters"

layer(
  service(database("test_http_metrics_reachable"), 1, {
    changePorts: (ports) => Layer.merge(ports, NanoLedgerDevelopment.layer)
  }).pipe(
    Layer.provide(
      withSettings({ localToken: Redacted.make(LOCAL_TOKEN), metricsToken: Redacted.make(TOKEN) })
    )
  )
)("a service that other machines can reach", (it) => {
  const node = (headers: Readonly<Record<string, string>>) =>
    Effect.flatMap(TestClient, (client) =>
      client.send("POST", "/dev/nano", {
        ...LOCAL,
        headers: { ...LOCAL.headers, ...headers },
        body: { action: "version" }
      })
    )

  it.effect("A proxy without a header of its own gets neither metrics nor play money", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* statusOf(LOCAL), 404)
      assert.strictEqual(yield* statusOf({ from: "10.9.8.7" }), 404)
      assert.strictEqual((yield* node({})).status, 404)
      for (const token of [`${LOCAL_TOKEN}x`, "", TOKEN]) {
        assert.strictEqual(yield* statusOf({ ...LOCAL, headers: { "x-local-token": token } }), 404, token)
        assert.strictEqual((yield* node({ "x-local-token": token })).status, 404, token)
      }
    })
  )

  it.effect("A program with a token gets both", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* statusOf({ ...LOCAL, headers: { "x-local-token": LOCAL_TOKEN } }), 200)
      assert.strictEqual(yield* statusOf({ ...LOCAL, token: TOKEN }), 200)
      assert.strictEqual((yield* node({ "x-local-token": LOCAL_TOKEN })).status, 200)
    })
  )
})

layer(service(database("test_http_metrics_no_token")))("a service without a token for metrics", (it) => {
  it.effect("No token admits a caller from a public address", () =>
    Effect.gen(function* () {
      for (const token of ["undefined", "", "x"])
        assert.strictEqual(yield* statusOf({ from: "192.0.2.1", token }), 404)
      assert.strictEqual(yield* statusOf({ from: "192.0.2.1" }), 404)
    })
  )
})
