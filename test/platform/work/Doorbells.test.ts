import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Queue, Stream } from "effect"
import { type Heard, Signals } from "../../../src/platform/ports/Signals.ts"
import { Transactions } from "../../../src/platform/sql/Transactions.ts"
import { Doorbells } from "../../../src/platform/work/Doorbells.ts"
import { database } from "../../support/Database.ts"

/** Doorbells over signals that the test sends and receives, and transactions that commit at once. */
const process = Effect.gen(function* () {
  const sent = yield* Queue.unbounded<ReadonlyArray<string>>()
  const received = yield* Queue.unbounded<Heard>()
  const signals = Signals.of({
    send: (_topic, kinds) => Effect.as(Queue.offer(sent, kinds), 0n),
    heard: () => Stream.fromQueue(received)
  })
  const context = yield* Layer.build(
    Doorbells.layer.pipe(
      Layer.provide(Layer.mock(Transactions, { afterCommit: (effect) => effect })),
      Layer.provide(database("test_doorbells")),
      Layer.provide(Layer.succeed(Signals, signals))
    )
  )
  const { bell } = yield* Effect.provideContext(Doorbells, context)
  return { bell, sent, received }
})

const waits = Effect.forkChild({ startImmediately: true })

it.effect("A ring wakes every waiting worker of its process, and reaches no other process", () =>
  Effect.gen(function* () {
    const { bell, sent } = yield* process
    const { ring, rung } = bell("mails")
    const one = yield* waits(rung)
    const two = yield* waits(bell("mails").rung)
    const other = yield* waits(bell("uploads").rung)
    yield* ring
    yield* Fiber.joinAll([one, two])
    assert.isUndefined(other.pollUnsafe())
    assert.strictEqual(yield* Queue.size(sent), 0)
  })
)

it.effect("A ring that came before the worker waits wakes it once", () =>
  Effect.gen(function* () {
    const { ring, rung } = (yield* process).bell("mails")
    yield* ring
    yield* ring
    yield* rung
    const second = yield* waits(rung)
    yield* Effect.yieldNow
    assert.isUndefined(second.pollUnsafe())
  })
)

it.effect("Rings without a waiting worker reach other processes, one for those that come together", () =>
  Effect.gen(function* () {
    const { bell, sent } = yield* process
    yield* bell("mails").ring
    yield* bell("mails").ring
    yield* bell("uploads").ring
    assert.deepStrictEqual(yield* Queue.take(sent), ["mails", "uploads"])
    yield* bell("mails").ring
    assert.deepStrictEqual(yield* Queue.take(sent), ["mails"])
    assert.strictEqual(yield* Queue.size(sent), 0)
  })
)

it.effect("A worker that stopped waiting does not answer a ring", () =>
  Effect.gen(function* () {
    const { bell, sent } = yield* process
    const waiting = yield* waits(bell("mails").rung)
    yield* Fiber.interrupt(waiting)
    yield* bell("mails").ring
    assert.deepStrictEqual(yield* Queue.take(sent), ["mails"])
  })
)

it.effect("A signal of another process rings the bell of its kind, and is not passed on", () =>
  Effect.gen(function* () {
    const { bell, received, sent } = yield* process
    const uploads = yield* waits(bell("uploads").rung)
    yield* Queue.offer(received, { _tag: "signal", text: "mails" })
    yield* bell("mails").rung
    assert.isUndefined(uploads.pollUnsafe())
    yield* Queue.offer(received, { _tag: "listening" })
    yield* Fiber.join(uploads)
    yield* bell("mails").rung
    assert.strictEqual(yield* Queue.size(sent), 0)
  })
)
