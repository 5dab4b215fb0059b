import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { fewAtOnce } from "../../../src/platform/sql/fewAtOnce.ts"
import { unavailableDependency } from "../../../src/platform/sql/unavailable.ts"

describe("reads with a limit of concurrency", () => {
  it.effect("A read waits for a place", () =>
    Effect.gen(function* () {
      const few = fewAtOnce(2)
      const end = yield* Deferred.make<void>()
      let running = 0
      let most = 0
      const read = Effect.sync(() => (most = Math.max(most, ++running))).pipe(
        Effect.andThen(Deferred.await(end)),
        Effect.ensuring(Effect.sync(() => running--))
      )
      const reads = yield* Effect.forkChild(
        Effect.replicateEffect(few("one")(read), 5, { concurrency: "unbounded" })
      )
      yield* Effect.yieldNow
      yield* Deferred.succeed(end, undefined)
      assert.strictEqual((yield* Fiber.join(reads)).length, 5)
      assert.strictEqual(most, 2)
      assert.strictEqual(running, 0)
    })
  )

  it.effect("Reads take turns by key, and many of one delay another by one", () =>
    Effect.gen(function* () {
      const few = fewAtOnce(1)
      const order: Array<string> = []
      const read = (key: string) =>
        Effect.forkChild(
          few(key)(
            Effect.andThen(
              Effect.yieldNow,
              Effect.sync(() => order.push(key))
            )
          )
        )
      const reads = yield* Effect.forEach(["one", "one", "one", "one", "other"], read)
      yield* Effect.forEach(reads, Fiber.join)
      assert.strictEqual(order.length, 5)
      assert.isAtMost(order.indexOf("other"), 2)
    })
  )

  it.effect("A read is unavailable after five seconds, and an interrupted one leaves its place", () =>
    Effect.gen(function* () {
      const few = fewAtOnce(1)
      const first = yield* Effect.forkChild(few("one")(Effect.never))
      yield* Effect.yieldNow
      const second = yield* Effect.forkChild(Effect.exit(few("one")(Effect.never)))
      yield* Effect.yieldNow
      yield* TestClock.adjust("5 seconds")
      const exit = yield* Fiber.join(second)
      assert.isTrue(Exit.isFailure(exit))
      if (Exit.isFailure(exit))
        assert.strictEqual(unavailableDependency(Cause.squash(exit.cause)), "database")
      yield* Fiber.interrupt(first)
      assert.strictEqual(yield* few("one")(Effect.succeed("read")), "read")
    })
  )
})
