import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { TaskReply } from "../../../layers/threads/thread.ts"
import { makeThreadPool, type ThreadPoolOptions } from "../../../layers/threads/threadPool.ts"
import { TaskTooExpensive } from "../../../src/platform/ports/Offload.ts"
import { Logs } from "../../platform/http/Logs.ts"
import { gate, type fragileTasks } from "./fragileTasks.ts"

const program = new URL("fragileThread.ts", import.meta.url)

/** Asks a pool of these threads, for one key. */
const pool = Effect.fnUntraced(function* (options: Partial<ThreadPoolOptions> = {}) {
  const { ask } = yield* makeThreadPool({
    program,
    threads: 1,
    processorTime: "2 seconds",
    deadline: "8 seconds",
    waitMax: "1 hour",
    unfinishedMax: 100,
    unfinishedPerKeyMax: 100,
    resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 },
    ...options
  })
  return (name: keyof typeof fragileTasks, input?: unknown) => ask("somebody", { name, input })
})

const open = (at: Int32Array) =>
  Effect.sync(() => {
    Atomics.store(at, 0, 1)
    Atomics.notify(at, 0)
  })

/** Waits until a task has arrived at its gate. */
const reached = (at: Int32Array) =>
  Effect.promise(async () => {
    await Atomics.waitAsync(at, 1, 0).value
  })

const fork = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const output = (word: string): TaskReply => ({ output: word })

describe("a pool of threads", () => {
  it.effect("Each caller gets the result of its own task", () =>
    Effect.gen(function* () {
      const ask = yield* pool({ threads: 2 })
      const words = Array.from({ length: 50 }, (_, number) => `word ${number}`)
      const replies = yield* Effect.forEach(words, (word) => ask("say", word), { concurrency: "unbounded" })
      assert.deepStrictEqual(replies, words.map(output))
    })
  )

  it.effect("One task runs while another thread is busy", () =>
    Effect.gen(function* () {
      const ask = yield* pool({ threads: 2 })
      const at = gate()
      const busy = yield* fork(ask("wait", at))
      yield* reached(at)
      assert.deepStrictEqual(yield* ask("say", "free"), output("free"))
      yield* open(at)
      assert.deepStrictEqual(yield* Fiber.join(busy), output("waited"))
    })
  )

  it.live("A thread that uses up its processor time ends, and its successor goes on", () =>
    Effect.gen(function* () {
      const ask = yield* pool({ processorTime: "20 millis", deadline: "1 hour" })
      assert.deepStrictEqual(
        yield* Effect.flip(ask("loop", gate())),
        new TaskTooExpensive({ exceeded: "processor time" })
      )
      const next = yield* Effect.exit(ask("say", "next"))
      assert.deepStrictEqual(next, Exit.succeed(output("next")))
    })
  )

  it.effect("A task that gets no processor is waited for until its deadline", () =>
    Effect.gen(function* () {
      const ask = yield* pool()
      const at = gate()
      const waiting = yield* fork(Effect.flip(ask("wait", at)))
      const next = yield* fork(ask("say", "next"))
      yield* reached(at)
      yield* TestClock.adjust(7_999)
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "ThreadLost")
      assert.deepStrictEqual(yield* Fiber.join(next), output("next"))
    })
  )

  it.effect("A thread that fills its memory ends, and its successor goes on", () =>
    Effect.gen(function* () {
      const ask = yield* pool()
      const lost = yield* Effect.flip(ask("fill"))
      assert.deepStrictEqual(lost, new TaskTooExpensive({ exceeded: "memory" }))
      assert.deepStrictEqual(yield* ask("say", "next"), output("next"))
    })
  )

  it.effect("A task fails when its thread ends itself, and its successor goes on", () =>
    Effect.gen(function* () {
      const ask = yield* pool()
      assert.strictEqual((yield* Effect.flip(ask("exit")))._tag, "ThreadLost")
      assert.deepStrictEqual(yield* ask("say", "next"), output("next"))
    })
  )

  it.effect("A task that throws hands over its error, and keeps its thread", () =>
    Effect.gen(function* () {
      const ask = yield* pool()
      const reply = yield* ask("throw")
      assert.deepStrictEqual(reply, { thrown: new Error("this task throws") })
    })
  )

  it.effect("No thread starts before the first task", () =>
    Effect.gen(function* () {
      const missing = new URL("missing.ts", import.meta.url)
      const ask = yield* pool({ program: missing })
      const lost = yield* Effect.flip(ask("say", "a"))
      assert.include(String(lost.cause), "WorkerError")
    })
  )

  it.effect("A task fails when no thread can be started", () =>
    Effect.gen(function* () {
      const ask = yield* pool({ program: new URL("https://press.test/thread.ts") })
      assert.strictEqual((yield* Effect.flip(ask("say", "a")))._tag, "ThreadLost")
    })
  )

  it.effect("The pool ends with its scope, during any task", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const ask = yield* Scope.provide(pool(), scope)
      const at = gate()
      const looping = yield* fork(ask("loop", at))
      const waiting = yield* fork(ask("say", "a"))
      yield* reached(at)
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(looping)))
      yield* Fiber.interrupt(waiting)
    })
  )

  it.effect("The pool logs nothing when it ends", () =>
    Effect.gen(function* () {
      yield* Effect.scoped(Effect.flatMap(pool(), (ask) => ask("say", "a")))
      const lines = yield* Logs
      assert.deepStrictEqual(
        lines.filter(({ level }) => level === "Error"),
        []
      )
    }).pipe(Effect.provide(Logs.layer))
  )
})
