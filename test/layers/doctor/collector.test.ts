import { createServer } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { collector } from "../../support/collector.ts"
import { eventually } from "../../support/eventually.ts"
import { listening } from "../../support/listening.ts"
import { examined, states } from "./examined.ts"

const collectorOf = (OTEL_EXPORTER_OTLP_ENDPOINT: string) =>
  Effect.map(examined({ OTEL_EXPORTER_OTLP_ENDPOINT }), (of) => of("collector"))

describe("the doctor and the collector", () => {
  it.live("A collector that takes all three signals is well, and gets an empty export of each", () =>
    Effect.gen(function* () {
      const { received, url } = yield* collector
      const found = yield* collectorOf(`${url.replace("http://", "http://press:s3cret%40@")}/tenant/`)
      assert.deepStrictEqual(states(found), ["ok"])
      assert.include(found[0]?.said, "accepts logs, metrics and traces")
      assert.deepStrictEqual(received.map(({ path, text }) => `${path} ${text}`).toSorted(), [
        '/tenant/v1/logs {"resourceLogs":[]}',
        '/tenant/v1/metrics {"resourceMetrics":[]}',
        '/tenant/v1/traces {"resourceSpans":[]}'
      ])
      for (const { headers } of received) {
        assert.strictEqual(headers.authorization, `Basic ${Buffer.from("press:s3cret@").toString("base64")}`)
        assert.strictEqual(headers["content-type"], "application/json")
        assert.strictEqual(headers["content-encoding"], "gzip")
      }
      assert.notInclude(JSON.stringify(found), "s3cret")
      assert.deepStrictEqual(states((yield* examined({}))("collector")), ["ok"])
    })
  )

  it.live("A collector for some signals is told, with those that are lost", () =>
    Effect.gen(function* () {
      const { state, url } = yield* collector
      state.statuses.set("/v1/logs", 404).set("/v1/metrics", 404)
      const found = yield* collectorOf(url)
      assert.deepStrictEqual(states(found), ["ok", "warning"])
      assert.include(found[0]?.said, "accepts traces.")
      assert.include(found[1]?.said, "logs and metrics do not reach it")
      assert.include(found[1]?.advice, "pipeline")
    })
  )

  it.live("A collector that takes nothing is a fault, with what to do about its answer", () =>
    Effect.gen(function* () {
      const { state, url } = yield* collector
      const advised = (status: number) =>
        Effect.gen(function* () {
          state.status = status
          const [found, ...more] = yield* collectorOf(url)
          assert.isEmpty(more)
          assert.strictEqual(found?.state, "fault")
          assert.include(found?.said, `(${status})`)
          return found?.advice ?? ""
        })
      for (const status of [401, 403]) assert.include(yield* advised(status), "user and password")
      for (const status of [404, 405]) assert.include(yield* advised(status), "/v1/logs")
      for (const status of [400, 413, 415]) assert.include(yield* advised(status), "gzip")
      for (const status of [429, 500, 503]) assert.include(yield* advised(status), "collector's log")
      state.status = 200
      state.text = "<h1>It works!</h1>"
      const [other] = yield* collectorOf(url)
      assert.strictEqual(other?.state, "fault")
      assert.include(other?.advice, "another program")
    })
  )

  it.effect(
    "A collector that is down, silent, or speaks another protocol is a fault without its secrets",
    () =>
      Effect.gen(function* () {
        const { state, url } = yield* collector
        // gRPC has such a port: it hangs up on HTTP/1.1.
        const other = yield* listening(
          createServer((socket) => void socket.once("data", () => socket.destroy()))
        )
        for (const down of ["127.0.0.1:1", `127.0.0.1:${other}`]) {
          const found = yield* collectorOf(`http://press:s3cret@${down}`)
          assert.deepStrictEqual(states(found), ["fault"])
          assert.include(found[0]?.said, "does not answer, so logs, metrics and traces do not reach it")
          assert.include(found[0]?.advice, "4317 is gRPC")
          assert.notInclude(JSON.stringify(found), "s3cret")
        }
        state.isSilent = true
        const asking = yield* Effect.forkChild(collectorOf(url))
        yield* eventually(
          "the collector has all three",
          Effect.sync(() => state.open === 3)
        )
        yield* TestClock.adjust("5 seconds")
        assert.include((yield* Fiber.join(asking))[0]?.said, "does not answer")
      })
  )
})
