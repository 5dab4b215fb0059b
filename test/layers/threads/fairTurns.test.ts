import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { type FairTurnsOptions, makeFairTurns } from "../../../layers/threads/fairTurns.ts"

const turns = (options: Partial<FairTurnsOptions> = {}) =>
  makeFairTurns({
    permits: 1,
    unfinishedMax: 100,
    unfinishedPerKeyMax: 100,
    waitMax: "3 seconds",
    ...options
  })

const fork = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

/** Records the name of each task when it runs. The first one waits for `open`. */
const taskList = Effect.gen(function* () {
  const ran: Array<string> = []
  const opened = yield* Deferred.make<void>()
  return {
    ran,
    open: Deferred.succeed(opened, undefined),
    first: Effect.andThen(
      Deferred.await(opened),
      Effect.sync(() => ran.push("first"))
    ),
    task: (name: string) => Effect.sync(() => ran.push(name))
  }
})

const isRefused = <A>(exit: Exit.Exit<A, unknown>) => Exit.isFailure(exit)

describe("fair turns", () => {
  it.effect("Turns go round the keys, with any number of tasks of one key", () =>
    Effect.gen(function* () {
      const { inTurn } = yield* turns()
      const { first, open, ran, task } = yield* taskList
      const waiting = [yield* fork(inTurn("a", first))]
      for (const name of ["a1", "a2", "a3", "a4"]) waiting.push(yield* fork(inTurn("a", task(name))))
      for (const name of ["b1", "b2"]) waiting.push(yield* fork(inTurn("b", task(name))))
      waiting.push(yield* fork(inTurn("c", task("c1"))))
      yield* open
      yield* Effect.forEach(waiting, Fiber.join)
      assert.deepStrictEqual(ran, ["first", "a1", "b1", "c1", "a2", "b2", "a3", "a4"])
    })
  )

  it.effect("A key with too many unfinished tasks is refused, and no other key", () =>
    Effect.gen(function* () {
      const { inTurn } = yield* turns({ unfinishedPerKeyMax: 2 })
      const { first, open, task } = yield* taskList
      const waiting = [yield* fork(inTurn("a", first)), yield* fork(inTurn("a", task("a1")))]
      assert.isTrue(isRefused(yield* Effect.exit(inTurn("a", task("a2")))))
      waiting.push(yield* fork(inTurn("b", task("b1"))))
      yield* open
      yield* Effect.forEach(waiting, Fiber.join)
      assert.isFalse(isRefused(yield* Effect.exit(inTurn("a", task("a3")))))
    })
  )

  it.effect("Every key is refused when too many tasks of all keys are unfinished", () =>
    Effect.gen(function* () {
      const { inTurn } = yield* turns({ unfinishedMax: 2 })
      const { first, open, task } = yield* taskList
      const waiting = [yield* fork(inTurn("a", first)), yield* fork(inTurn("b", task("b1")))]
      assert.isTrue(isRefused(yield* Effect.exit(inTurn("c", task("c1")))))
      yield* open
      yield* Effect.forEach(waiting, Fiber.join)
      assert.isFalse(isRefused(yield* Effect.exit(inTurn("c", task("c2")))))
    })
  )

  it.effect("A turn ends for a caller that is interrupted while it waits", () =>
    Effect.gen(function* () {
      const { inTurn } = yield* turns({ unfinishedMax: 2 })
      const { first, open, ran, task } = yield* taskList
      const running = yield* fork(inTurn("a", first))
      const impatient = yield* fork(inTurn("b", task("b1")))
      yield* Fiber.interrupt(impatient)
      const patient = yield* fork(inTurn("c", task("c1")))
      yield* open
      yield* Effect.forEach([running, patient], Fiber.join)
      assert.deepStrictEqual(ran, ["first", "c1"])
    })
  )

  it.effect("A running task continues after its caller is interrupted, and counts until it ends", () =>
    Effect.gen(function* () {
      const { inTurn } = yield* turns({ unfinishedMax: 1 })
      const { first, open, ran, task } = yield* taskList
      const impatient = yield* fork(inTurn("a", first))
      yield* Fiber.interrupt(impatient)
      assert.isTrue(isRefused(yield* Effect.exit(inTurn("a", task("a1")))))
      yield* open
      while (ran.length === 0) yield* Effect.yieldNow
      yield* Effect.yieldNow
      yield* inTurn("a", task("a2"))
      assert.deepStrictEqual(ran, ["first", "a2"])
    })
  )

  it.effect("A task whose turn does not come in time is refused, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const { inTurn } = yield* turns({ unfinishedMax: 2 })
      const { first, open, ran, task } = yield* taskList
      const running = yield* fork(inTurn("a", first))
      const waiting = yield* fork(Effect.exit(inTurn("b", task("b1"))))
      yield* TestClock.adjust(2_999)
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.isTrue(isRefused(yield* Fiber.join(waiting)))
      yield* open
      yield* Fiber.join(running)
      assert.isFalse(isRefused(yield* Effect.exit(inTurn("b", task("b2")))))
      assert.deepStrictEqual(ran, ["first", "b2"])
    })
  )

  it.effect(
    "A task that would wait too long after slow ones is refused without a wait, until they have ended",
    () =>
      Effect.gen(function* () {
        const { inTurn } = yield* turns({ permits: 2 })
        const slow = Effect.sleep("4 seconds")
        const start = (key: string) => fork(Effect.exit(inTurn(key, slow)))
        for (let task = 0; task < 20; task++) {
          const running = yield* start("a")
          yield* TestClock.adjust("4 seconds")
          assert.isFalse(isRefused(yield* Fiber.join(running)))
        }

        const again = [yield* start("a"), yield* start("b")]
        // The next turn comes in about 2 seconds, and the one after it in 4.
        const next = yield* start("c")
        const refused = yield* start("d")
        assert.isDefined(refused.pollUnsafe())
        assert.isTrue(isRefused(yield* Fiber.join(refused)))
        assert.isUndefined(next.pollUnsafe())
        // A key that has many tasks delays another by one of them.
        const own = yield* start("c")
        assert.isDefined(own.pollUnsafe())
        assert.isTrue(isRefused(yield* Fiber.join(own)))
        yield* TestClock.adjust("4 seconds")
        for (const fiber of again) assert.isFalse(isRefused(yield* Fiber.join(fiber)))
        assert.isTrue(isRefused(yield* Fiber.join(next)))
        assert.isFalse(isRefused(yield* Effect.exit(inTurn("d", Effect.void))))
      })
  )

  it.effect("Turns end with their scope, together with the task that runs", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { inTurn } = yield* Scope.provide(turns(), scope)
      const running = yield* fork(inTurn("a", Effect.never))
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(isRefused(yield* Fiber.await(running)))
    })
  )
})
