import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer } from "effect"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { Offload } from "../../../src/platform/ports/Offload.ts"
import { authorOf } from "../../support/actors/author.ts"
import { inTime } from "../../support/actors/buyer.ts"
import { database } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"
import { service } from "../../support/TestClient.ts"
import { kinds, paying } from "./ways.ts"

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

layer(
  service(database("test_payments_twins"), 1, {
    changePorts: (ports) => Layer.provideMerge(holding, ports)
  })
)("two requests with one payment", (it) => {
  for (const [number, kind] of kinds.entries())
    it.effect(`pay one ${kind}, also when one claims while the other is checked`, () =>
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
})
