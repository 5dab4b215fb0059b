import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Layer, Metric, Scope } from "effect"
import { TestClock } from "effect/testing"
import { observability } from "../../layers/observability.ts"
import { collector } from "../support/collector.ts"
import { eventually } from "../support/eventually.ts"
import { read } from "./config/problems.ts"
import { written } from "./writtenLines.ts"

/** Values of OTLP's attributes, by name. */
const attributesOf = (
  attributes: ReadonlyArray<{ readonly key: string; readonly value: Readonly<Record<string, unknown>> }>
) => Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

/** The logs and traces of a service with this collector. `stop` ends it. */
const observed = Effect.fnUntraced(function* (endpoint: string) {
  const environment = yield* read({ LOG_FORMAT: "json", OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(observability(environment, "1.2.3"), scope)
  return { context, stop: Scope.close(scope, Exit.void) }
})

const exported = (outcome: string) =>
  Effect.map(Metric.snapshot, (metrics) => {
    const counters = metrics.filter(
      ({ attributes, id }) => id === "otlp_exports_total" && attributes?.["outcome"] === outcome
    )
    return counters.reduce((sum, it) => sum + (it.type === "Counter" ? Number(it.state.count) : 0), 0)
  })

describe("the OpenTelemetry collector", () => {
  it.live(
    "A stop sends the last logs, metrics and traces, with the name of the service and of the process",
    () =>
      Effect.gen(function* () {
        const { received, url } = yield* collector
        const { context, stop } = yield* observed(url.replace("http://", "http://press:hunter2%40@"))
        yield* Effect.logInfo("A reader bought a post").pipe(
          Effect.annotateLogs({ requestId: "r-1" }),
          Effect.withSpan("Purchases.buy", { attributes: { "http.route": "/x" } }),
          Effect.provideContext(context)
        )
        yield* Metric.update(
          Metric.counter("collector_test_total", { description: "A test", incremental: true }),
          2
        )
        yield* stop

        const bodyOf = (path: string) => JSON.parse(received.findLast((it) => it.path === path)?.text ?? "{}")
        const [logs] = bodyOf("/v1/logs").resourceLogs
        const [metrics] = bodyOf("/v1/metrics").resourceMetrics
        const [traces] = bodyOf("/v1/traces").resourceSpans
        for (const { resource } of [logs, metrics, traces]) {
          const about = attributesOf(resource.attributes)
          assert.strictEqual(about["service.name"], "pennypress")
          assert.strictEqual(about["service.version"], "1.2.3")
          assert.match(String(about["service.instance.id"]), /^[0-9a-f-]{36}$/)
          assert.strictEqual(about["process.pid"], process.pid)
        }
        const [line] = logs.scopeLogs[0].logRecords
        assert.strictEqual(line.body.stringValue, "A reader bought a post")
        assert.strictEqual(line.severityText, "Info")
        assert.strictEqual(attributesOf(line.attributes)["requestId"], "r-1")
        const [span] = traces.scopeSpans[0].spans
        assert.strictEqual(span.name, "Purchases.buy")
        assert.strictEqual(attributesOf(span.attributes)["http.route"], "/x")
        assert.strictEqual(line.traceId, span.traceId)
        const counter = metrics.scopeMetrics[0].metrics.find(
          (it: { name: string }) => it.name === "collector_test_total"
        )
        assert.deepInclude(counter, { description: "A test" })
        assert.strictEqual(counter.sum.dataPoints[0].asDouble, 2)
        assert.isTrue(counter.sum.isMonotonic)

        const basic = `Basic ${Buffer.from("press:hunter2@").toString("base64")}`
        for (const { headers, text } of received) {
          assert.strictEqual(headers.authorization, basic)
          assert.notInclude(text, "hunter2")
        }
      })
  )

  it.effect("A silent collector keeps few batches, is told once, and delays no stop", () =>
    Effect.gen(function* () {
      const { texts } = yield* written
      const { received, state, url } = yield* collector
      state.isSilent = true
      const { context, stop } = yield* observed(url)
      const lostBefore = yield* exported("lost")
      const logMany = Effect.forEach(Array.from({ length: 30_000 }), () => Effect.logInfo("a line"), {
        discard: true
      })
      yield* Effect.provideContext(logMany, context)
      yield* eventually(
        "the collector has its batches",
        Effect.sync(() => state.open === 8)
      )
      assert.strictEqual(state.mostOpen, 8)
      yield* TestClock.adjust("30 seconds")
      assert.isAtLeast(yield* exported("lost"), lostBefore + 8)
      const told = () =>
        texts
          .join("")
          .split("\n")
          .filter((line) => line.includes("does not accept this signal"))
      assert.lengthOf(
        told().filter((line) => line.includes('"logs"')),
        1
      )

      // A minute later it takes them again.
      state.isSilent = false
      yield* TestClock.adjust("1 minute")
      const before = received.length
      yield* Effect.provideContext(Effect.logInfo("back"), context)
      yield* TestClock.adjust("2 seconds")
      yield* eventually(
        "the collector has the line",
        Effect.sync(() => received.slice(before).some(({ text }) => text.includes('"back"')))
      )
      yield* stop
    })
  )

  it.live("An absent collector delays no stop, and the log goes on", () =>
    Effect.gen(function* () {
      const { texts } = yield* written
      const { context, stop } = yield* observed("http://127.0.0.1:1")
      yield* Effect.provideContext(Effect.logInfo("still here"), context)
      const began = yield* Clock.currentTimeMillis
      yield* stop
      assert.isBelow((yield* Clock.currentTimeMillis) - began, 4_500)
      assert.include(texts.join(""), "still here")
    })
  )

  it.effect("A collector that refuses one signal still gets the others", () =>
    Effect.gen(function* () {
      const { received, url, state } = yield* collector
      state.status = 404
      const { context, stop } = yield* observed(`${url}/behind/a/path/`)
      yield* Effect.provideContext(Effect.logInfo("a line"), context)
      yield* TestClock.adjust("1 second")
      yield* eventually(
        "the line is refused",
        Effect.sync(() => received.some(({ path }) => path === "/behind/a/path/v1/logs"))
      )
      state.status = 200
      yield* Effect.provideContext(Effect.withSpan(Effect.void, "a span"), context)
      yield* stop
      assert.isTrue(received.some(({ path, text }) => path.endsWith("/v1/traces") && text.includes("a span")))
    })
  )
})
