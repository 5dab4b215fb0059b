import { setImmediate } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { eventually } from "../../support/eventually.ts"
import {
  answering,
  blockInfo,
  hang,
  ledgerAt,
  nowhere,
  payerKey,
  scriptedLedger,
  scriptedNode,
  sent,
  sentHash,
  signed,
  text,
  useless
} from "./scriptedNode.ts"

describe("several Nano nodes", () => {
  it.effect("Nodes answer in their order, each for those before it", () =>
    Effect.gen(function* () {
      const good = yield* scriptedNode(({ action }) =>
        action === "block_info" ? blockInfo(sent) : undefined
      )
      const replies = useless.map(([, reply]) => reply)
      for (const reply of replies) {
        const bad = yield* scriptedNode(({ action }) => (action === "version" ? undefined : reply))
        const ledger = yield* ledgerAt([bad.url, yield* nowhere, good.url])
        assert.isTrue(Option.isSome(yield* ledger.block(sentHash)))
        assert.isAtLeast(bad.asked().length, 1)
      }
    })
  )

  it.effect("A later node takes a block whose previous the first one lacks", () =>
    Effect.gen(function* () {
      const behind = yield* scriptedNode(({ action }) =>
        action === "process" ? { error: "Gap previous block" } : undefined
      )
      const good = yield* scriptedNode(({ action }) =>
        action === "process" ? { hash: sentHash } : undefined
      )
      assert.strictEqual(yield* (yield* ledgerAt([behind.url, good.url])).publish(signed), "accepted")
      const alone = yield* ledgerAt([behind.url, behind.url.replace("127.0.0.1", "localhost")])
      assert.strictEqual((yield* Effect.flip(alone.publish(signed))).reason, "gap")
    })
  )

  it.effect("A node has three seconds for an answer, and five for a new block", () =>
    Effect.gen(function* () {
      const { ledger, node } = yield* answering(hang)
      for (const [call, seconds] of [
        [Effect.asVoid(ledger.block(sentHash)), 3],
        [Effect.asVoid(ledger.account(payerKey)), 3],
        [Effect.asVoid(ledger.publish(signed)), 5]
      ] as const) {
        const before = node.asked().length
        const fiber = yield* Effect.forkChild(Effect.flip(call))
        yield* eventually(
          "the node is asked",
          Effect.sync(() => node.asked().length > before)
        )
        yield* TestClock.adjust(seconds * 1000 - 1)
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust(1)
        assert.strictEqual((yield* Fiber.join(fiber)).reason, "timeout")
      }
    })
  )

  it.effect("A node is left alone after five failures, and tried again two seconds later", () =>
    Effect.gen(function* () {
      let isBroken = true
      const { ledger, node } = yield* scriptedLedger(({ action }) =>
        action === "version" ? undefined : isBroken ? text("no", 503) : blockInfo(sent)
      )
      for (let call = 1; call <= 5; call++) {
        assert.isFalse(yield* ledger.isAway)
        yield* Effect.flip(ledger.block(sentHash))
      }
      assert.isTrue(yield* ledger.isAway)
      assert.strictEqual((yield* Effect.flip(ledger.block(sentHash))).reason, "unreachable")
      assert.lengthOf(node.asked(), 5)
      isBroken = false
      yield* TestClock.adjust("2 seconds")
      assert.isFalse(yield* ledger.isAway)
      assert.isTrue(Option.isSome(yield* ledger.block(sentHash)))
    })
  )

  it.effect(
    "A node that fails is tried again every two seconds, and delays no caller whom another one answers",
    () =>
      Effect.gen(function* () {
        const bad = yield* scriptedNode(({ action }) => (action === "version" ? undefined : text("no", 503)))
        const alone = yield* ledgerAt([bad.url])
        for (let call = 0; call < 5; call++) yield* Effect.flip(alone.block(sentHash))
        for (let times = 1; times <= 6; times++) {
          yield* TestClock.adjust("2 seconds")
          assert.isFalse(yield* alone.isAway)
          yield* Effect.flip(alone.block(sentHash))
          assert.isTrue(yield* alone.isAway)
          assert.lengthOf(bad.asked(), 5 + times)
        }
        const good = yield* scriptedNode(({ action }) =>
          action === "block_info" ? blockInfo(sent) : undefined
        )
        const both = yield* ledgerAt([bad.url, good.url])
        for (let call = 0; call < 5; call++) yield* both.block(sentHash)
        const before = bad.asked().length
        yield* TestClock.adjust("2 seconds")
        assert.isTrue(Option.isSome(yield* both.block(sentHash)))
        assert.lengthOf(bad.asked(), before)
      })
  )

  it.effect("A node is not left alone for what a payer publishes", () =>
    Effect.gen(function* () {
      const { ledger, node } = yield* answering({ error: "Words of its own" })
      yield* Effect.repeat(Effect.flip(ledger.publish(signed)), { times: 9 })
      assert.isFalse(yield* ledger.isAway)
      assert.lengthOf(node.asked(), 10)
    })
  )

  it.effect("A node of another network is not used until it is of ours", () =>
    Effect.gen(function* () {
      let network: unknown = "beta"
      const { ledger, node } = yield* scriptedLedger(({ action }) =>
        action === "version" ? { network } : blockInfo(sent)
      )
      assert.strictEqual((yield* Effect.flip(ledger.block(sentHash))).reason, "protocol")
      assert.isTrue(yield* ledger.isAway)
      assert.lengthOf(node.asked(), 0)
      network = "live"
      while (yield* ledger.isAway) {
        yield* TestClock.adjust("1 minute")
        yield* Effect.promise(() => setImmediate())
      }
      assert.isTrue(Option.isSome(yield* ledger.block(sentHash)))
    })
  )

  it.effect("A node that does not say its network is not asked for anything", () =>
    Effect.gen(function* () {
      for (const reply of [{}, { network: 1 }, { error: "Unknown command" }, text("no", 429)]) {
        const { ledger, node } = yield* scriptedLedger(({ action }) =>
          action === "version" ? reply : blockInfo(sent)
        )
        yield* Effect.flip(ledger.block(sentHash))
        assert.lengthOf(node.asked(), 0)
      }
      const test = yield* scriptedNode(({ action }) =>
        action === "version" ? { network: "test" } : blockInfo(sent)
      )
      assert.isTrue(
        Option.isSome(yield* (yield* ledgerAt([test.url], { network: "nano:test" })).block(sentHash))
      )
    })
  )
})
