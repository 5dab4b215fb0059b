import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { KEY, LISTENING, process } from "./answeringProcess.ts"

it.effect("An answer is made once, and found by its target from then on", () =>
  Effect.gen(function* () {
    const { answers, hear, isKept, made, make, read } = yield* process()
    yield* hear(LISTENING)
    assert.isFalse(yield* isKept)
    yield* read
    yield* read
    assert.isTrue(yield* isKept)
    yield* answers.get({ ...KEY, url: "/api/posts/1?utm_source=x" }, make)
    assert.strictEqual(made(), 1)
  })
)

it.effect("A thousand readers of an answer that is not kept have it made once", () =>
  Effect.gen(function* () {
    const { answers, hear, made, make } = yield* process()
    yield* hear(LISTENING)
    const gate = yield* Deferred.make<void>()
    const slow = Effect.andThen(Deferred.await(gate), make)
    const readers = yield* Effect.forkChild(
      Effect.replicateEffect(answers.get(KEY, slow), 1_000, { concurrency: "unbounded" }),
      { startImmediately: true }
    )
    yield* Deferred.succeed(gate, undefined)
    assert.strictEqual((yield* Fiber.join(readers)).length, 1_000)
    assert.strictEqual(made(), 1)
  })
)

it.effect("A reader that leaves does not end the answer for those who wait with it", () =>
  Effect.gen(function* () {
    const { answers, hear, made, make } = yield* process()
    yield* hear(LISTENING)
    const gate = yield* Deferred.make<void>()
    const slow = Effect.andThen(Deferred.await(gate), make)
    const first = yield* Effect.forkChild(answers.get(KEY, slow), { startImmediately: true })
    const second = yield* Effect.forkChild(answers.get(KEY, slow), { startImmediately: true })
    yield* Fiber.interrupt(first)
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(second)
    assert.strictEqual(made(), 1)
  })
)

it.effect("An error reaches every reader that waits, and is not kept", () =>
  Effect.gen(function* () {
    const { answers, hear, made, make } = yield* process()
    yield* hear(LISTENING)
    const failing = Effect.andThen(Effect.yieldNow, Effect.fail("not found"))
    const both = yield* Effect.all(
      [Effect.exit(answers.get(KEY, failing)), Effect.exit(answers.get(KEY, failing))],
      {
        concurrency: "unbounded"
      }
    )
    assert.deepStrictEqual(both, [Exit.fail("not found"), Exit.fail("not found")])
    yield* answers.get(KEY, make)
    assert.strictEqual(made(), 1)
  })
)

it.effect("An answer ends after ten seconds, in case a process ended before its signal", () =>
  Effect.gen(function* () {
    const { hear, isKept, read } = yield* process()
    yield* hear(LISTENING)
    yield* read
    yield* TestClock.adjust("9999 millis")
    assert.isTrue(yield* isKept)
    yield* TestClock.adjust("1 millis")
    assert.isFalse(yield* isKept)
  })
)

it.effect("A kept answer is compressed once for each coding, and an answer that is not kept never", () =>
  Effect.gen(function* () {
    let compressions = 0
    const { answers, hear, make } = yield* process(1, {
      digest: () => "",
      compress: () =>
        Effect.andThen(
          Effect.yieldNow,
          Effect.sync(() => Uint8Array.of(++compressions))
        )
    })
    const before = yield* answers.get(KEY, make)
    assert.isUndefined(yield* answers.coded(KEY.key, before, "br"))
    yield* hear(LISTENING)
    const answer = yield* answers.get(KEY, make)
    const coded = yield* Effect.replicateEffect(answers.coded(KEY.key, answer, "br"), 100, {
      concurrency: "unbounded"
    })
    assert.deepStrictEqual(new Set(coded.map((it) => it?.[0])), new Set([1]))
    yield* answers.coded(KEY.key, answer, "gzip")
    yield* answers.coded(KEY.key, answer, "br")
    assert.strictEqual(compressions, 2)
  })
)

it.effect("A store without room makes every answer for its reader", () =>
  Effect.gen(function* () {
    const { hear, isKept, made, read } = yield* process(0)
    yield* hear(LISTENING)
    yield* read
    yield* read
    assert.strictEqual(made(), 2)
    assert.isFalse(yield* isKept)
  })
)
