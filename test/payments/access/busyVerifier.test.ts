import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import * as OffloadThreads from "../../../layers/threads/OffloadThreads.ts"
import { DependencyUnavailable } from "../../../src/platform/ports/DependencyUnavailable.ts"
import { Offload } from "../../../src/platform/ports/Offload.ts"
import { authorOf } from "../../support/actors/author.ts"
import { access, buyerOf, inTime, outcomeOf } from "../../support/actors/buyer.ts"
import { database } from "../../support/Database.ts"
import { service, type ServiceOptions } from "../../support/TestClient.ts"
import { codeOf } from "./downloading.ts"
import { paidPost } from "./paidPost.ts"

const over = (offload: Layer.Layer<Offload, never, Offload>): Pick<ServiceOptions, "changePorts"> => ({
  changePorts: (ports) => Layer.provideMerge(offload, ports)
})

layer(service(database("test_payments_many_at_once"), 1, over(OffloadThreads.layer())))(
  "signatures of payments that are checked in threads",
  (it) => {
    it.effect("Other payments have their turn when one wallet sends a payment 50 times together", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(1)
        const { id } = yield* author.published(paidPost)
        const { payment } = yield* (yield* buyerOf(2)).sign(id)
        const answers = yield* inTime(
          Effect.forEach(Array.from({ length: 50 }), () => access(id, { payment }), {
            concurrency: "unbounded"
          })
        )
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          Array.from({ length: 50 }, () => 200)
        )
        assert.strictEqual((yield* (yield* NanoLedgerMemory).published).length, 1)
      })
    )

    it.effect("Other payments have their turn when strangers send blocks in the name of the wallet", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(3)
        const { id } = yield* author.published(paidPost)
        const { payload, payment } = yield* (yield* buyerOf(4)).sign(id)
        const { block } = payload.payload
        const forged = Buffer.from(
          JSON.stringify({ ...payload, payload: { block: { ...block, signature: "0".repeat(128) } } })
        ).toString("base64")
        const strangers = Array.from({ length: 100 }, () => ({ payment: forged, from: "192.0.2.1" }))
        const answers = yield* inTime(
          Effect.forEach([...strangers, { payment, from: "192.0.2.2" }], (request) => access(id, request), {
            concurrency: "unbounded"
          })
        )
        const answer = answers.at(-1)!
        assert.strictEqual(answer.status, 200, answer.text)
      })
    )
  }
)

const full = { now: false }

/** Checks signatures while there is a place for them. */
const mayBeFull = Layer.effect(
  Offload,
  Effect.map(Offload, (offload) =>
    Offload.of({
      run: (task, input, key) =>
        Effect.suspend(() =>
          full.now && task.pool === "signatures"
            ? Effect.die(new DependencyUnavailable({ dependency: "signature verification" }))
            : offload.run(task, input, key)
        )
    })
  )
)

layer(service(database("test_payments_busy_verifier"), 1, over(mayBeFull)))(
  "a payment whose signature finds no place",
  (it) => {
    it.effect("A payment without a place is not charged, and its payer learns when to repeat it", () =>
      Effect.gen(function* () {
        const { id } = yield* (yield* authorOf(1)).published(paidPost)
        const { payment } = yield* (yield* buyerOf(2)).sign(id)
        full.now = true
        const answer = yield* inTime(access(id, { payment }))
        assert.deepStrictEqual(codeOf(answer), [429, "rate_limited"])
        assert.strictEqual(answer.headers.get("retry-after"), "2")
        const { errorReason, success, transaction } = outcomeOf(answer)
        assert.deepStrictEqual([success, errorReason, transaction], [false, "rate_limited", ""])
        full.now = false
        assert.strictEqual((yield* inTime(access(id, { payment }))).status, 200)
      })
    )
  }
)
