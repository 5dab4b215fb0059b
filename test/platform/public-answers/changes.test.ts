import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { KEY, LISTENING, LOST, process } from "./answeringProcess.ts"

it.effect("A change ends the answers that show it, and other processes are told", () =>
  Effect.gen(function* () {
    const { answers, change, hear, isKept, read, sent } = yield* process()
    yield* hear(LISTENING)
    assert.strictEqual(yield* read, 0)
    yield* answers.changing(["post:2"])(Effect.void)
    assert.isTrue(yield* isKept)
    yield* answers.changing(["post:1"])(change)
    assert.isFalse(yield* isKept)
    assert.strictEqual(yield* read, 1)
    yield* Effect.yieldNow
    assert.deepStrictEqual(sent, ["post:2", "post:1"])
  })
)

it.effect("An open transaction that changes a thing has its answers made for every reader", () =>
  Effect.gen(function* () {
    const { answers, change, endTransaction, hear, isKept, network, read } = yield* process()
    yield* hear(LISTENING)
    yield* read
    network.isInTransaction = true
    yield* answers.changing(["post:1"])(Effect.void)
    assert.isFalse(yield* isKept)
    // The commit shows to readers before this process hears of it.
    yield* change
    assert.strictEqual(yield* read, 1)
    assert.isFalse(yield* isKept)
    yield* endTransaction
    assert.strictEqual(yield* read, 1)
    assert.isTrue(yield* isKept)
  })
)

it.effect("Two open transactions that change a thing both have to end, also one that failed", () =>
  Effect.gen(function* () {
    const { answers, change, endTransaction, hear, isKept, network, read } = yield* process()
    yield* hear(LISTENING)
    network.isInTransaction = true
    yield* answers.changing(["post:1"])(Effect.void)
    network.isInTransaction = false
    yield* Effect.exit(answers.changing(["post:1"])(Effect.die("refused")))
    yield* read
    assert.isFalse(yield* isKept)
    yield* change
    yield* endTransaction
    assert.strictEqual(yield* read, 1)
    assert.isTrue(yield* isKept)
    yield* Effect.exit(answers.changing(["post:1"])(Effect.andThen(change, Effect.die("lost"))))
    assert.isFalse(yield* isKept)
    assert.strictEqual(yield* read, 2)
  })
)

it.effect("An answer that a change overtook goes only to its readers", () =>
  Effect.gen(function* () {
    const { answers, change, hear, isKept, make, read } = yield* process()
    yield* hear(LISTENING)
    const gate = yield* Deferred.make<void>()
    const before = yield* Effect.forkChild(
      answers.get(
        KEY,
        Effect.tap(make, () => Deferred.await(gate))
      ),
      { startImmediately: true }
    )
    yield* answers.changing(["post:1"])(change)
    // A reader who comes after the change does not wait for an answer from before it.
    assert.strictEqual(yield* read, 1)
    yield* Deferred.succeed(gate, undefined)
    assert.strictEqual((yield* Fiber.join(before)).digest, "0")
    assert.isTrue(yield* isKept)
    assert.strictEqual(yield* read, 1)
  })
)

it.effect("Another process's change ends the answers that show it", () =>
  Effect.gen(function* () {
    const { change, hear, isKept, read, sent } = yield* process()
    yield* hear(LISTENING)
    yield* read
    yield* change
    yield* hear({ _tag: "signal", text: "profile:1" })
    assert.isFalse(yield* isKept)
    assert.strictEqual(yield* read, 1)
    assert.deepStrictEqual(sent, [])
  })
)

it.effect("A process that does not hear others keeps nothing, and forgets what it had", () =>
  Effect.gen(function* () {
    const { hear, isKept, made, read } = yield* process()
    yield* read
    yield* read
    assert.strictEqual(made(), 2)
    yield* hear(LISTENING)
    yield* read
    assert.isTrue(yield* isKept)
    yield* hear(LOST)
    assert.isFalse(yield* isKept)
    yield* read
    assert.isFalse(yield* isKept)
    yield* hear(LISTENING)
    assert.isFalse(yield* isKept)
    yield* read
    assert.isTrue(yield* isKept)
  })
)

it.effect("An answer that was begun before the signals were lost is not kept after them", () =>
  Effect.gen(function* () {
    const { answers, hear, isKept, make } = yield* process()
    yield* hear(LISTENING)
    const gate = yield* Deferred.make<void>()
    const reader = yield* Effect.forkChild(
      answers.get(
        KEY,
        Effect.tap(make, () => Deferred.await(gate))
      ),
      { startImmediately: true }
    )
    yield* hear(LOST)
    yield* hear(LISTENING)
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(reader)
    assert.isFalse(yield* isKept)
  })
)

it.effect("A signal that cannot be sent is sent again", () =>
  Effect.gen(function* () {
    const { answers, change, network, sent } = yield* process()
    network.isUp = false
    yield* answers.changing(["post:1"])(change)
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(sent, [])
    network.isUp = true
    yield* TestClock.adjust("50 millis")
    assert.deepStrictEqual(sent, ["post:1"])
  })
)
