import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { sharedRuns } from "../../../layers/files/sharedRuns.ts"

/** Runs that end when the test says so, in their order. */
const heldRuns = () => {
  const begun: Array<{ readonly key: string; readonly end: Deferred.Deferred<void, string> }> = []
  const shared = sharedRuns((key: string) => {
    const end = Deferred.makeUnsafe<void, string>()
    begun.push({ key, end })
    return Deferred.await(end)
  })
  const call = (key: string) => Effect.forkChild(shared(key), { startImmediately: true })
  return { begun, call }
}

describe("shared runs", () => {
  it.effect("Callers that come during a run share the next one, which begins after it", () =>
    Effect.gen(function* () {
      const { begun, call } = heldRuns()
      const first = yield* call("a")
      const later = yield* Effect.forEach([1, 2, 3], () => call("a"))
      assert.lengthOf(begun, 1)
      yield* Deferred.succeed(begun[0]!.end, undefined)
      yield* Fiber.join(first)
      yield* Effect.yieldNow
      assert.lengthOf(begun, 2)
      // The run of these callers goes on: one that comes now waits for the third.
      const last = yield* call("a")
      for (const fiber of later) assert.isUndefined(fiber.pollUnsafe())
      yield* Deferred.succeed(begun[1]!.end, undefined)
      yield* Effect.forEach(later, Fiber.join)
      yield* Effect.yieldNow
      assert.lengthOf(begun, 3)
      assert.isUndefined(last.pollUnsafe())
      yield* Deferred.succeed(begun[2]!.end, undefined)
      yield* Fiber.join(last)
    })
  )

  it.effect("Runs of different keys do not wait for each other", () =>
    Effect.gen(function* () {
      const { begun, call } = heldRuns()
      const one = yield* call("a")
      const other = yield* call("b")
      assert.deepStrictEqual(
        begun.map(({ key }) => key),
        ["a", "b"]
      )
      yield* Deferred.succeed(begun[1]!.end, undefined)
      yield* Fiber.join(other)
      assert.isUndefined(one.pollUnsafe())
      yield* Deferred.succeed(begun[0]!.end, undefined)
      yield* Fiber.join(one)
    })
  )

  it.effect("A failure reaches only the callers of its run, and the next run is another try", () =>
    Effect.gen(function* () {
      const { begun, call } = heldRuns()
      const first = yield* call("a")
      const shared = yield* Effect.forEach([1, 2], () => call("a"))
      yield* Deferred.fail(begun[0]!.end, "full")
      assert.deepStrictEqual(yield* Fiber.await(first), Exit.fail("full"))
      yield* Effect.yieldNow
      yield* Deferred.succeed(begun[1]!.end, undefined)
      for (const fiber of shared) assert.deepStrictEqual(yield* Fiber.await(fiber), Exit.void)
    })
  )

  it.effect("An interrupted caller leaves the others what they wait for", () =>
    Effect.gen(function* () {
      const { begun, call } = heldRuns()
      const first = yield* call("a")
      const [waiting, interrupted] = [yield* call("a"), yield* call("a")]
      yield* Fiber.interrupt(interrupted)
      const stopping = yield* Effect.forkChild(Fiber.interrupt(first), { startImmediately: true })
      yield* Deferred.succeed(begun[0]!.end, undefined)
      yield* Fiber.join(stopping)
      yield* Effect.yieldNow
      yield* Deferred.succeed(begun[1]!.end, undefined)
      yield* Fiber.join(waiting)
    })
  )
})
