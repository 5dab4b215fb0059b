import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Inspectable, Logger, Metric, References } from "effect"
import { TestClock } from "effect/testing"
import { recordedSpans } from "../../support/recordedSpans.ts"
import {
  authorKey,
  blockInfo,
  hang,
  ledgerAt,
  payerKey,
  scriptedNode,
  sent,
  sentHash,
  text
} from "./scriptedNode.ts"

/** A URL with a user, a password and keys. */
const secretUrl = (url: string) => `${url.replace("http://", "http://press:hunter2@")}/hunter2?key=hunter2`
const BASIC = `Basic ${Buffer.from("press:hunter2").toString("base64")}`

/** Everything that a call leaves behind: logs, spans, and the error. */
const traces = Effect.fnUntraced(function* (url: string) {
  const left: Array<unknown> = []
  const { layer: recording, spans } = recordedSpans()
  const logger = Logger.layer([Logger.map(Logger.formatJson, (line) => void left.push(line))])
  const calls = Effect.gen(function* () {
    const ledger = yield* ledgerAt([url])
    for (let call = 0; call < 6; call++) {
      for (const asked of [
        ledger.block(sentHash),
        ledger.account(payerKey),
        ledger.incoming(authorKey, new Date(0))
      ]) {
        const exit = yield* Effect.exit(asked as Effect.Effect<unknown, unknown>)
        left.push(exit, exit._tag === "Failure" ? Cause.pretty(exit.cause) : "")
      }
    }
  })
  yield* calls.pipe(
    Effect.provide(logger),
    Effect.provide(recording),
    Effect.provideService(References.MinimumLogLevel, "Trace")
  )
  left.push(...spans.map(({ attributes, events, name }) => [name, Array.from(attributes), events]))
  return left.map((it) => (typeof it === "string" ? it : Inspectable.toStringUnknown(it))).join("\n")
})

describe("credentials of a node", () => {
  it.effect("Credentials are sent to their node, and shown in no log, span or error", () =>
    Effect.gen(function* () {
      const good = yield* scriptedNode(({ action }) => (action === "version" ? undefined : blockInfo(sent)))
      const left = [yield* traces(secretUrl(good.url))]
      assert.strictEqual(good.asked()[0]?.authorization, BASIC)
      // The server repeats them, which is no reason for us to do so.
      for (const reply of [
        { error: "hunter2 at http://press:hunter2@host/" },
        text("hunter2", 401),
        text("hunter2"),
        { network: "hunter2 http://x?key=hunter2" }
      ]) {
        const node = yield* scriptedNode(() => reply)
        left.push(yield* traces(secretUrl(node.url)))
      }
      const gone = yield* Effect.scoped(scriptedNode(() => hang))
      left.push(yield* traces(secretUrl(gone.url)))
      const all = left.join("\n")
      assert.include(all, "NanoLedgerRpc.block")
      assert.include(all, "A Nano server is unavailable")
      assert.include(all, "not on the network of NANO_NETWORK")
      assert.notInclude(all, "hunter2")
      assert.notInclude(all, BASIC)
    })
  )
})

describe("metrics of nodes", () => {
  it.effect("Metrics count calls by action and outcome, and show the circuit", () =>
    Effect.gen(function* () {
      let isBroken = true
      const node = yield* scriptedNode(({ action }) =>
        action === "version" ? undefined : isBroken ? text("no", 500) : blockInfo(sent)
      )
      const ledger = yield* ledgerAt([node.url])
      const valueOf = Effect.fnUntraced(function* (id: string, labels: Readonly<Record<string, string>>) {
        const all = yield* Metric.snapshot
        const found = all.find(
          (it) =>
            it.id === id && Object.entries(labels).every(([name, value]) => it.attributes?.[name] === value)
        )
        const state = found?.state as { readonly count?: number; readonly value?: number } | undefined
        return state?.count ?? state?.value
      })
      const server = node.url.replace("http://", "")
      const circuit = valueOf("ledger_circuit_state", { server, role: "node" })
      assert.strictEqual(yield* circuit, 0)
      yield* Effect.repeat(Effect.flip(ledger.block(sentHash)), { times: 4 })
      assert.strictEqual(
        yield* valueOf("ledger_calls_total", { action: "block_info", outcome: "refused" }),
        5
      )
      yield* Effect.yieldNow
      assert.strictEqual(yield* circuit, 2)
      isBroken = false
      yield* TestClock.adjust("2 seconds")
      yield* ledger.block(sentHash)
      assert.strictEqual(yield* valueOf("ledger_calls_total", { action: "block_info", outcome: "ok" }), 1)
      yield* Effect.yieldNow
      assert.strictEqual(yield* circuit, 0)
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})
