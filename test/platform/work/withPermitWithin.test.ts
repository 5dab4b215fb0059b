import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Semaphore } from "effect"
import { TestClock } from "effect/testing"
import { withPermitWithin } from "../../../src/platform/work/withPermitWithin.ts"

const make = Effect.gen(function* () {
  const semaphore = yield* Semaphore.make(1)
  const run = withPermitWithin(semaphore, "1 second")
  const start = (millis: number) => Effect.forkChild(run(Effect.sleep(millis)), { startImmediately: true })
  return { semaphore, start }
})

describe("a permit that is waited for", () => {
  it.effect("Work waits for a permit", () =>
    Effect.gen(function* () {
      const { start } = yield* make
      yield* start(900)
      const second = yield* start(500)
      yield* TestClock.adjust("900 millis")
      yield* TestClock.adjust("499 millis")
      assert.isUndefined(second.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(second)
    })
  )

  it.effect("Work begins without a permit after that time, and takes its own time", () =>
    Effect.gen(function* () {
      const { semaphore, start } = yield* make
      const stuck = yield* start(60_000)
      const second = yield* start(5_000)
      yield* TestClock.adjust("1 second")
      yield* TestClock.adjust("4999 millis")
      assert.isUndefined(second.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(second)
      // It gives back no permit that it does not have.
      assert.isFalse(yield* semaphore.takeIfAvailable(1))
      yield* Fiber.interrupt(stuck)
      assert.isTrue(yield* semaphore.takeIfAvailable(1))
      assert.isFalse(yield* semaphore.takeIfAvailable(1))
    })
  )

  it.effect("Work that is interrupted, also while it waits, takes no permit away and gives none", () =>
    Effect.gen(function* () {
      const { semaphore, start } = yield* make
      const first = yield* start(60_000)
      yield* Fiber.interrupt(yield* start(60_000))
      assert.isFalse(yield* semaphore.takeIfAvailable(1))
      const second = yield* start(60_000)
      yield* Fiber.interruptAll([first, second])
      assert.isTrue(yield* semaphore.takeIfAvailable(1))
      assert.isFalse(yield* semaphore.takeIfAvailable(1))
    })
  )
})
