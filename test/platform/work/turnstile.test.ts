import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { makeTurnstile } from "../../../src/platform/work/turnstile.ts"

/** Waits for the next turn of the event loop. */
const nextTurn = Effect.promise(() => new Promise<void>((resolve) => void setImmediate(resolve)))

describe("a turnstile", () => {
  it.effect("Callers pass in their order, at most one at each turn of the event loop", () =>
    Effect.gen(function* () {
      const turnstile = yield* makeTurnstile
      const passed: Array<number> = []
      const callers: Array<Fiber.Fiber<unknown>> = []
      for (let number = 0; number < 8; number++) {
        const caller = Effect.andThen(
          turnstile,
          Effect.sync(() => passed.push(number))
        )
        callers.push(yield* Effect.forkChild(caller, { startImmediately: true }))
      }
      assert.deepStrictEqual(passed, [])
      for (let turns = 0; passed.length < 8; turns++) {
        const before = passed.length
        yield* nextTurn
        assert.isAtMost(passed.length - before, 1)
        assert.isBelow(turns, 100)
      }
      yield* Effect.forEach(callers, Fiber.join)
      assert.deepStrictEqual(passed, [0, 1, 2, 3, 4, 5, 6, 7])
    })
  )

  it.effect("A caller that is interrupted holds up no other", () =>
    Effect.gen(function* () {
      const turnstile = yield* makeTurnstile
      const first = yield* Effect.forkChild(turnstile, { startImmediately: true })
      const second = yield* Effect.forkChild(turnstile, { startImmediately: true })
      yield* Fiber.interrupt(first)
      yield* Fiber.interrupt(second)
      yield* turnstile
    })
  )
})
