import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as AnswerBytesNode from "../../../layers/answers/AnswerBytesNode.ts"
import { AnswerBytes } from "../../../src/platform/ports/AnswerBytes.ts"
import { type Heard, SignalNotSent, Signals } from "../../../src/platform/ports/Signals.ts"
import type { PublicAnswer } from "../../../src/platform/public-answers/AnswerStore.ts"
import { PublicAnswers } from "../../../src/platform/public-answers/PublicAnswers.ts"
import { withSettings } from "../../../src/platform/settings/Settings.ts"
import { Transactions } from "../../../src/platform/sql/Transactions.ts"

const LISTENING: Heard = { _tag: "listening" }
const KEY = { key: "post 1", url: "/api/posts/1" }
const TAGS = ["post:1", "profile:1"]

/** Public answers of one process. The test sends the signals of others, and `ends` ends the open transactions. */
const process = Effect.fnUntraced(function* (publicCacheMb = 1, bytes?: AnswerBytes["Service"]) {
  const heard = yield* Queue.unbounded<Heard>()
  const sent: Array<string> = []
  const open: Array<Effect.Effect<void>> = []
  const network = { isUp: true, isInTransaction: false }
  const context = yield* Layer.build(
    Layer.fresh(PublicAnswers.layer).pipe(
      Layer.provide([
        bytes === undefined ? AnswerBytesNode.layer : Layer.succeed(AnswerBytes, bytes),
        withSettings({ publicCacheMb }),
        Layer.mock(Transactions, {
          atEnd: (effect) => (network.isInTransaction ? Effect.sync(() => void open.push(effect)) : effect)
        }),
        Layer.succeed(Signals, {
          send: (_, texts) =>
            Effect.suspend(() =>
              network.isUp
                ? Effect.sync(() => void sent.push(...texts))
                : Effect.fail(new SignalNotSent({ cause: "down" }))
            ),
          heard: () => Stream.fromQueue(heard)
        })
      ])
    )
  )
  let version = 0
  let made = 0
  /** Makes an answer that shows the version of the moment. */
  const make = Effect.sync((): PublicAnswer => {
    made++
    return {
      route: "/api/posts/:postId",
      contentType: "application/json",
      body: Uint8Array.of(version),
      digest: String(version),
      tags: TAGS,
      coded: new Map()
    }
  })
  const answers = Context.get(context, PublicAnswers)
  const hear = (event: Heard) => Effect.andThen(Queue.offer(heard, event), Effect.yieldNow)
  return {
    answers,
    hear,
    make,
    made: () => made,
    network,
    sent,
    change: Effect.sync(() => void version++),
    endTransaction: Effect.suspend(() => Effect.all(open.splice(0), { discard: true })),
    /** The version that a reader sees. */
    read: Effect.map(answers.get(KEY, make), ({ digest }) => Number(digest)),
    /** True when the answer is kept for its target. */
    isKept: Effect.map(Effect.context<never>(), (own) => answers.kept(KEY.url, own) !== undefined)
  }
})

it.effect("an answer is made once, and found by its target from then on", () =>
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

it.effect("1,000 readers of an answer that is not kept have it made once", () =>
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

it.effect("a reader that goes away leaves the answer to those who wait with it", () =>
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

it.effect("an error reaches every reader that waits, and is not kept", () =>
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

it.effect("a change ends the answers that show it, and other processes are told", () =>
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

it.effect("while a transaction that changes a thing is open, its answers are made for every reader", () =>
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

it.effect("an answer whose making a change overtook goes to its readers alone", () =>
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

it.effect("another process's change ends the answers that show it", () =>
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

it.effect("a process that does not hear others keeps nothing, and forgets what it had", () =>
  Effect.gen(function* () {
    const { hear, isKept, made, read } = yield* process()
    yield* read
    yield* read
    assert.strictEqual(made(), 2)
    yield* hear(LISTENING)
    yield* read
    assert.isTrue(yield* isKept)
    yield* hear({ _tag: "lost" })
    assert.isFalse(yield* isKept)
    yield* read
    assert.isFalse(yield* isKept)
    yield* hear(LISTENING)
    assert.isFalse(yield* isKept)
    yield* read
    assert.isTrue(yield* isKept)
  })
)

it.effect("an answer that was begun before the signals were lost is not kept after them", () =>
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
    yield* hear({ _tag: "lost" })
    yield* hear(LISTENING)
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(reader)
    assert.isFalse(yield* isKept)
  })
)

it.effect("an answer ends after ten seconds, for the case that a process ended before it told others", () =>
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

it.effect("a signal that cannot be sent is sent again", () =>
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

it.effect("a kept answer is compressed once for each coding, and one that is not kept not at all", () =>
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

it.effect("with no room every answer is made for its reader", () =>
  Effect.gen(function* () {
    const { hear, isKept, made, read } = yield* process(0)
    yield* hear(LISTENING)
    yield* read
    yield* read
    assert.strictEqual(made(), 2)
    assert.isFalse(yield* isKept)
  })
)
