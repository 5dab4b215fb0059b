import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import {
  makeThreadPool,
  type ThreadPoolOptions,
  type ThreadsUnavailable
} from "../../../layers/threads/threadPool.ts"
import { Logs } from "../../platform/http/Logs.ts"
import type { Fragile } from "./fragileThread.ts"

const program = new URL("fragileThread.ts", import.meta.url)

const pool = (options: Partial<ThreadPoolOptions> = {}) =>
  makeThreadPool<Fragile, string>({ program, threads: 1, waitingMax: 100, ...options })

const shared = (...numbers: ReadonlyArray<number>) => {
  const array = new Int32Array(new SharedArrayBuffer(8))
  array.set(numbers)
  return array
}

const open = (gate: Int32Array) =>
  Effect.sync(() => {
    Atomics.store(gate, 0, 1)
    Atomics.notify(gate, 0)
  })

/** Waits for the thread to stand before the gate. */
const reached = (gate: Int32Array) =>
  Effect.promise(async () => {
    await Atomics.waitAsync(gate, 1, 0).value
  })

const fork = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const reasonOf = <A>(refused: Effect.Effect<A, ThreadsUnavailable>) =>
  Effect.map(Effect.flip(refused), ({ reason }) => reason)

describe("a pool of threads", () => {
  it.effect("gives each asker the answer to their own question", () =>
    Effect.gen(function* () {
      const { ask } = yield* pool({ threads: 2 })
      const words = Array.from({ length: 50 }, (_, number) => `word ${number}`)
      const answers = yield* Effect.forEach(words, (say) => ask({ say }), { concurrency: "unbounded" })
      assert.deepStrictEqual(answers, words)
    })
  )

  it.effect("has one thread work while another is held", () =>
    Effect.gen(function* () {
      const { ask } = yield* pool({ threads: 2 })
      const gate = shared()
      const held = yield* fork(ask({ say: "held", gate }))
      yield* reached(gate)
      assert.strictEqual(yield* ask({ say: "free" }), "free")
      yield* open(gate)
      assert.strictEqual(yield* Fiber.join(held), "held")
    })
  )

  it.effect("refuses at once whoever comes when too many wait, and nobody after that", () =>
    Effect.gen(function* () {
      const { ask } = yield* pool({ waitingMax: 3 })
      const gate = shared()
      const first = yield* fork(ask({ say: "1", gate }))
      const others = yield* fork(Effect.all([ask({ say: "2" }), ask({ say: "3" })], { concurrency: 2 }))
      assert.strictEqual(yield* reasonOf(ask({ say: "4" })), "too many wait")
      yield* open(gate)
      assert.strictEqual(yield* Fiber.join(first), "1")
      assert.deepStrictEqual(yield* Fiber.join(others), ["2", "3"])
      assert.strictEqual(yield* ask({ say: "5" }), "5")
    })
  )

  it.effect("counts what somebody who was interrupted had asked, until its thread is done with it", () =>
    Effect.gen(function* () {
      const { ask } = yield* pool({ waitingMax: 2 })
      const gate = shared()
      const impatient = yield* fork(ask({ say: "1", gate }))
      yield* reached(gate)
      yield* Fiber.interrupt(impatient)
      const patient = yield* fork(ask({ say: "2" }))
      assert.strictEqual(yield* reasonOf(ask({ say: "3" })), "too many wait")
      yield* open(gate)
      assert.strictEqual(yield* Fiber.join(patient), "2")
      assert.strictEqual(yield* ask({ say: "4" }), "4")
    })
  )

  for (const how of ["throw", "exit"] as const) {
    it.effect(`asks the successor of a thread that is lost (${how})`, () =>
      Effect.gen(function* () {
        const { ask } = yield* pool()
        const questions = [{ say: "1", ends: { left: shared(1), how } }, { say: "2" }, { say: "3" }]
        const answers = yield* Effect.forEach(questions, ask, { concurrency: "unbounded" })
        assert.deepStrictEqual(answers, ["1", "2", "3"])
        const lines = (yield* Logs).filter(({ level }) => level === "Error")
        assert.deepStrictEqual(
          lines.map(({ annotations }) => annotations["program"]),
          [program.href]
        )
      }).pipe(Effect.provide(Logs.layer))
    )
  }

  it.effect("gives a question up that loses two threads, and goes on", () =>
    Effect.gen(function* () {
      const { ask } = yield* pool()
      const poison = { say: "never", ends: { left: shared(100), how: "throw" as const } }
      assert.strictEqual(yield* reasonOf(ask(poison)), "a thread was lost twice")
      assert.strictEqual(Atomics.load(poison.ends.left, 0), 98)
      assert.strictEqual(yield* ask({ say: "well" }), "well")
    }).pipe(Effect.provide(Logs.layer))
  )

  it.effect("starts no thread before the first question, and fails that when its program is missing", () =>
    Effect.gen(function* () {
      const { ask } = yield* pool({ program: new URL("missing.ts", import.meta.url) })
      assert.lengthOf(yield* Logs, 0)
      assert.strictEqual(yield* reasonOf(ask({ say: "1" })), "a thread was lost twice")
      assert.include((yield* Logs)[0]?.cause ?? "", "missing.ts")
    }).pipe(Effect.provide(Logs.layer))
  )

  it.effect("fails a question when no thread can be started", () =>
    Effect.gen(function* () {
      const { ask } = yield* pool({ program: new URL("https://press.test/thread.ts") })
      assert.strictEqual(yield* reasonOf(ask({ say: "1" })), "a thread does not start")
      assert.lengthOf(yield* Logs, 1)
    }).pipe(Effect.provide(Logs.layer))
  )

  it.effect("ends with its scope, whatever its threads do, and fails those who wait", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { ask } = yield* Scope.provide(pool(), scope)
      const gate = shared()
      const waiting = yield* fork(Effect.forEach([ask({ say: "1", gate }), ask({ say: "2" })], reasonOf))
      const other = yield* fork(reasonOf(ask({ say: "3" })))
      yield* reached(gate)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* Fiber.join(other), "the threads end")
      assert.deepStrictEqual(yield* Fiber.join(waiting), ["the threads end", "the threads have ended"])
    }).pipe(Effect.provide(Logs.layer))
  )

  it.effect("is no loss to the log when it ends", () =>
    Effect.gen(function* () {
      yield* Effect.scoped(Effect.flatMap(pool(), ({ ask }) => ask({ say: "1" })))
      assert.deepStrictEqual(yield* Logs, [])
    }).pipe(Effect.provide(Logs.layer))
  )
})
