import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer } from "effect"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { NanoLedger } from "../../../src/platform/ports/NanoLedger.ts"
import { Offload } from "../../../src/platform/ports/Offload.ts"
import { authorOf } from "../../support/actors/author.ts"
import { inTime } from "../../support/actors/buyer.ts"
import { database } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"
import { passing } from "../../support/passing.ts"
import { service } from "../../support/TestClient.ts"
import { kinds, paying, seen } from "./ways.ts"

/** Looks of a payment at a frontier that is not confirmed, in three seconds. */
const LOOKS = 7

/** Holds the next check of a signature until its latch opens. */
const held: { latch: Latch.Latch | undefined; isReached: boolean } = { latch: undefined, isReached: false }

const holding = Layer.effect(
  Offload,
  Effect.map(Offload, (offload) =>
    Offload.of({
      run: (task, input, key) =>
        Effect.suspend(() => {
          const { latch } = held
          if (latch === undefined) return offload.run(task, input, key)
          held.latch = undefined
          held.isReached = true
          return Effect.andThen(latch.await, offload.run(task, input, key))
        })
    })
  )
)

/** Holds the answer of the seventh and last look at an account until its latch opens. */
const lastLook: { latch: Latch.Latch | undefined; looks: number } = { latch: undefined, looks: 0 }

const holdingLooks = Layer.effect(
  NanoLedger,
  Effect.map(NanoLedger, (ledger) =>
    NanoLedger.of({
      ...ledger,
      account: (key) =>
        Effect.tap(ledger.account(key), () => {
          const { latch } = lastLook
          if (latch === undefined || ++lastLook.looks < LOOKS) return Effect.void
          lastLook.latch = undefined
          return latch.await
        })
    })
  )
)

layer(
  service(database("test_payments_twins"), 1, {
    changePorts: (ports) => Layer.provideMerge(Layer.merge(holding, holdingLooks), ports)
  })
)("two requests with one payment", (it) => {
  for (const [number, kind] of kinds.entries())
    it.effect(`Two requests pay one ${kind}, even when one claims while the other is checked`, () =>
      Effect.gen(function* () {
        const ledger = yield* NanoLedgerMemory
        const { ask, count, payer, sign } = yield* paying(kind, yield* authorOf(number), 100 + number)
        yield* ledger.confirmAfter("8 seconds")
        const { payment } = yield* sign
        const latch = Latch.makeUnsafe()
        Object.assign(held, { latch, isReached: false })
        const slower = yield* Effect.forkChild(ask(payment))
        yield* eventually(
          "a signature is checked",
          Effect.sync(() => held.isReached)
        )
        const [answer, twin] = yield* inTime(
          Effect.all(
            [
              ask(payment),
              eventually(
                "the other is sent",
                Effect.map(ledger.published, (all) => all.some((it) => it.account === payer.account))
              ).pipe(Effect.andThen(latch.open), Effect.andThen(Fiber.join(slower)))
            ],
            { concurrency: 2 }
          )
        )
        yield* ledger.confirmAfter(0)
        assert.strictEqual(answer.status, 200, answer.text)
        assert.strictEqual(twin.text, answer.text)
        assert.strictEqual(yield* count, 1)
      })
    )

  for (const [number, kind] of kinds.entries())
    it.effect(`Two requests pay one ${kind}, even when one waits in vain for the frontier`, () =>
      Effect.gen(function* () {
        const ledger = yield* NanoLedgerMemory
        const { ask, count, payer, sign } = yield* paying(kind, yield* authorOf(10 + number), 200 + number)
        yield* ledger.confirmAfter("never")
        const { hash } = yield* payer.pay(payer.account, 1n)
        yield* ledger.confirmAfter(0)
        const { payment } = yield* sign

        // One comes too early, alone: nothing is sent, and the next one pays.
        const early = yield* inTime(ask(payment))
        assert.deepStrictEqual(seen(early), [402, "frontier_unconfirmed"])
        assert.strictEqual(yield* count, 0)

        // One has seen the frontier unconfirmed, and the other pays before it answers.
        const latch = Latch.makeUnsafe()
        Object.assign(lastLook, { latch, looks: 0 })
        const slower = yield* Effect.forkChild(ask(payment))
        yield* passing(
          100,
          "the last look",
          Effect.sync(() => lastLook.latch === undefined)
        )
        yield* ledger.confirm(hash)
        const answer = yield* inTime(ask(payment))
        assert.strictEqual(answer.status, 200, answer.text)
        yield* latch.open
        const twin = yield* inTime(Fiber.join(slower))
        assert.strictEqual(twin.text, answer.text)
        assert.strictEqual((yield* ask(payment)).text, answer.text)
        assert.strictEqual(yield* count, 1)
      })
    )

  it.effect("A payer who comes too early and signs again is charged once", () =>
    Effect.gen(function* () {
      const ledger = yield* NanoLedgerMemory
      const { ask, count, payer, sign } = yield* paying("purchase", yield* authorOf(20), 220)
      yield* ledger.confirmAfter("never")
      const { hash } = yield* payer.pay(payer.account, 1n)
      yield* ledger.confirmAfter(0)
      const first = yield* sign
      assert.deepStrictEqual(seen(yield* inTime(ask(first.payment))), [402, "frontier_unconfirmed"])
      // The same block, as signatures are deterministic, under another quote.
      const second = yield* sign
      yield* ledger.confirm(hash)
      const paid = yield* inTime(ask(first.payment))
      assert.strictEqual(paid.body.access.charged, true)
      assert.deepStrictEqual(seen(yield* ask(second.payment)), [402, "block_already_used"])
      const { payment } = yield* sign
      const { body } = yield* inTime(ask(payment))
      assert.deepStrictEqual(body.access, { ...paid.body.access, charged: false })
      assert.strictEqual(yield* count, 1)
    })
  )
})
