import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { AnswersMadeAnew } from "../../../src/platform/public-answers/PublicAnswers.ts"
import { LOST, process } from "./answeringProcess.ts"

const listeningAt = (position: bigint) => ({ _tag: "listening", position }) as const
const signalAt = (position: bigint) => ({ _tag: "signal", text: "post:2", position }) as const

it.effect("A read asks for the newest position that its process heard of", () =>
  Effect.gen(function* () {
    const { asked, hear } = yield* process()
    yield* hear(listeningAt(5n))
    assert.deepStrictEqual(yield* asked(), [5n])
    yield* hear(signalAt(9n))
    assert.deepStrictEqual(yield* asked(), [9n])
    yield* hear(signalAt(7n))
    assert.deepStrictEqual(yield* asked(), [9n])
  })
)

it.effect("A new primary may be behind the former one, so the position begins again with the listener", () =>
  Effect.gen(function* () {
    const { asked, hear } = yield* process()
    yield* hear(listeningAt(9n))
    yield* hear(LOST)
    yield* hear(listeningAt(6n))
    assert.deepStrictEqual(yield* asked(), [6n])
  })
)

it.effect("A read after a change of its own process waits for no replica until the position is known", () =>
  Effect.gen(function* () {
    const { answers, asked, hear, log } = yield* process()
    yield* hear(listeningAt(1n))
    log.position = 4n
    yield* answers.changing(["post:2"])(Effect.void)
    assert.deepStrictEqual(yield* asked(), [undefined])
    yield* Effect.yieldNow
    assert.deepStrictEqual(yield* asked(), [4n])
    // Without something that changed there is no signal, and nothing to wait for.
    yield* answers.changing([])(Effect.void)
    assert.deepStrictEqual(yield* asked(), [4n])
  })
)

it.effect("A change that ends while the signal of another one leaves keeps reads on the primary", () =>
  Effect.gen(function* () {
    const { answers, asked, hear, log, network } = yield* process()
    yield* hear(listeningAt(1n))
    network.isUp = false
    yield* answers.changing(["post:2"])(Effect.void)
    yield* Effect.yieldNow
    yield* answers.changing(["post:3"])(Effect.void)
    network.isUp = true
    log.position = 4n
    yield* TestClock.adjust("50 millis")
    yield* Effect.yieldNow
    assert.deepStrictEqual(yield* asked(), [4n])
  })
)

it.effect("A signal that was given up brings its position when the process listens again", () =>
  Effect.gen(function* () {
    const { answers, asked, hear, log, network, sent } = yield* process()
    yield* hear(listeningAt(1n))
    network.isUp = false
    yield* answers.changing(["post:2"])(Effect.void)
    yield* TestClock.adjust("1 minute")
    network.isUp = true
    assert.deepStrictEqual(yield* asked(), [undefined])
    yield* hear(LOST)
    log.position = 8n
    yield* hear(listeningAt(3n))
    yield* Effect.yieldNow
    assert.deepStrictEqual(yield* asked(), [8n])
    assert.deepStrictEqual(sent, ["never"])
  })
)

it.effect("An answer that shows a change under way is made on the primary again", () =>
  Effect.gen(function* () {
    const { answers, asked, endTransaction, hear, network } = yield* process()
    yield* hear(listeningAt(1n))
    network.isInTransaction = true
    yield* answers.changing(["post:2"])(Effect.void)
    assert.deepStrictEqual(yield* asked(), [1n])
    yield* answers.changing(["post:1"])(Effect.void)
    assert.deepStrictEqual(yield* asked(), [1n, undefined])
    yield* endTransaction
    yield* Effect.yieldNow
    assert.deepStrictEqual(yield* asked(), [1n])
  })
)

it.effect("A read about money asks for no replica", () =>
  Effect.gen(function* () {
    const { asked, hear } = yield* process()
    yield* hear(listeningAt(1n))
    assert.deepStrictEqual(yield* asked({ onPrimary: true }), [undefined])
  })
)

it.effect("Fresh answers, and answers that are not kept, never reach the replicas", () =>
  Effect.gen(function* () {
    const { asked, hear } = yield* process()
    assert.deepStrictEqual(yield* asked(), [], "not listening yet")
    yield* hear(listeningAt(1n))
    assert.deepStrictEqual(yield* Effect.provideService(asked(), AnswersMadeAnew, true), [])
    yield* hear(LOST)
    assert.deepStrictEqual(yield* asked(), [], "not listening any longer")
    const none = yield* process(0)
    yield* none.hear(listeningAt(1n))
    assert.deepStrictEqual(yield* none.asked(), [])
  })
)
