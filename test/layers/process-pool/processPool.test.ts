import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import { jobOf } from "../../../layers/process-pool/processJobs.ts"
import { makeProcessPool, type ProcessPoolOptions } from "../../../layers/process-pool/processPool.ts"
import { eventually } from "../../support/eventually.ts"
import type { Fragile } from "./fragileProcess.ts"

const program = new URL("fragileProcess.ts", import.meta.url)

const Measured = Schema.Struct({
  pid: Schema.Int,
  cwd: Schema.String,
  env: Schema.Array(Schema.String),
  sum: Schema.Int
})
const Answer = Schema.Union([Measured, Schema.String])

const none = new Uint8Array()

const makePool = Effect.fnUntraced(function* (options: Partial<ProcessPoolOptions<typeof Answer.Type>> = {}) {
  const { run } = yield* makeProcessPool({
    program,
    nodeOptions: [],
    env: {},
    answer: Answer,
    answerLengthMax: 64 * 1024,
    processes: 1,
    deadline: "20 seconds",
    jobsPerProcess: 1000,
    rssMax: 1e12,
    ...options
  })
  const ask = (question: Fragile, bytes = none) => run(question, bytes)
  const measure = (bytes = none) =>
    Effect.flatMap(ask({ do: "measure" }, bytes), (answer) =>
      Effect.orDie(Schema.decodeUnknownEffect(Measured)(answer))
    )
  const pid = Effect.map(measure(), ({ pid }) => pid)
  return { ask, measure, pid }
})

const fork = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

/** Returns true while the process exists, as a zombie too. */
const lives = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Closes the input of a program with an unfinished job, and waits for its end. */
const endOfOrphan = Effect.promise(async () => {
  const orphan = spawn(process.execPath, [fileURLToPath(program)], { stdio: ["pipe", "pipe", "inherit"] })
  await once(orphan.stdout, "data")
  for (const piece of jobOf({ do: "hang" }, none)) orphan.stdin.write(piece)
  orphan.stdin.end()
  const [, signal] = await once(orphan, "exit")
  return signal as unknown
})

describe("a pool of processes", () => {
  it.effect("Each job gets its own answer, and the process gets every byte", () =>
    Effect.gen(function* () {
      const { ask, measure } = yield* makePool({ processes: 2 })
      const words = Array.from({ length: 20 }, (_, number) => `word ${number}`)
      const said = yield* Effect.forEach(words, (say) => ask({ do: "say", say }), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(said, words)
      assert.strictEqual((yield* measure(new Uint8Array(5 * 1024 * 1024).fill(3))).sum, 15 * 1024 * 1024)
    })
  )

  it.effect("A process stays warm, with nothing of its parent's environment or place", () =>
    Effect.gen(function* () {
      const { measure } = yield* makePool({ env: { ONLY: "this" } })
      const first = yield* measure()
      assert.deepStrictEqual(first, { pid: first.pid, cwd: "/", env: ["ONLY"], sum: 0 })
      assert.strictEqual((yield* measure()).pid, first.pid)
    })
  )

  it.effect("One process runs while another is held", () =>
    Effect.gen(function* () {
      const { ask } = yield* makePool({ processes: 2 })
      yield* fork(ask({ do: "hang" }))
      assert.strictEqual(yield* ask({ do: "say", say: "free" }), "free")
    })
  )

  it.effect("A job waits for a free process", () =>
    Effect.gen(function* () {
      const { ask } = yield* makePool()
      const held = yield* fork(ask({ do: "hang" }))
      const waiting = yield* fork(ask({ do: "say", say: "at last" }))
      yield* Fiber.interrupt(held)
      assert.strictEqual(yield* Fiber.join(waiting), "at last")
    })
  )

  for (const how of ["hang", "spin"] as const) {
    it.effect(`A process is killed at its job's deadline (${how}), and another starts`, () =>
      Effect.gen(function* () {
        const { ask, pid } = yield* makePool()
        const first = yield* pid
        const late = yield* fork(Effect.flip(ask({ do: how })))
        yield* TestClock.adjust("19999 millis")
        assert.isTrue(lives(first))
        yield* TestClock.adjust("1 millis")
        const error = yield* Fiber.join(late)
        assert.strictEqual(error._tag === "ProcessLost" && error.reason, "deadline")
        assert.isFalse(lives(first))
        assert.notStrictEqual(yield* pid, first)
      })
    )
  }

  for (const how of ["exit", "kill", "throw", "babble", "mumble"] as const) {
    it.effect(`A job fails when its process is lost (${how}), and another process starts`, () =>
      Effect.gen(function* () {
        const { ask, pid } = yield* makePool()
        const first = yield* pid
        const error = yield* Effect.flip(ask({ do: how }))
        assert.strictEqual(error._tag === "ProcessLost" && error.reason, "crashed")
        assert.isFalse(lives(first))
        assert.notStrictEqual(yield* pid, first)
      })
    )
  }

  it.effect("An answer that does not fit its schema counts as a crash", () =>
    Effect.gen(function* () {
      const { ask, pid } = yield* makePool()
      const first = yield* pid
      const error = yield* Effect.flip(ask({ do: "say", say: { pid: "none" } }))
      assert.strictEqual(error._tag === "ProcessLost" && error.reason, "crashed")
      assert.isFalse(lives(first))
    })
  )

  it.effect("A job fails when another process kills its process", () =>
    Effect.gen(function* () {
      const { ask, pid } = yield* makePool()
      const first = yield* pid
      const job = yield* fork(Effect.flip(ask({ do: "spin" })))
      process.kill(first, "SIGKILL")
      const error = yield* Fiber.join(job)
      assert.strictEqual(error._tag === "ProcessLost" && error.reason, "crashed")
      assert.strictEqual(yield* ask({ do: "say", say: "well" }), "well")
    })
  )

  it.effect("A process that ended while it was idle gets no job", () =>
    Effect.gen(function* () {
      const { ask, pid } = yield* makePool()
      const first = yield* pid
      process.kill(first, "SIGKILL")
      yield* eventually(
        "the end is known",
        Effect.sync(() => !lives(first))
      )
      // The pool learns of the end in the same turn.
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      assert.strictEqual(yield* ask({ do: "say", say: "well" }), "well")
    })
  )

  it.effect("An interrupted caller ends the process of its job", () =>
    Effect.gen(function* () {
      const { ask, pid } = yield* makePool()
      const first = yield* pid
      yield* Fiber.interrupt(yield* fork(ask({ do: "spin" })))
      assert.isFalse(lives(first))
      assert.strictEqual(yield* ask({ do: "say", say: "well" }), "well")
    })
  )

  it.effect("A process is replaced after its last allowed job", () =>
    Effect.gen(function* () {
      const { pid } = yield* makePool({ jobsPerProcess: 2 })
      const [first, second, third] = [yield* pid, yield* pid, yield* pid]
      assert.strictEqual(second, first)
      assert.notStrictEqual(third, first)
      assert.isFalse(lives(first))
    })
  )

  it.effect("A process that holds too much memory is replaced", () =>
    Effect.gen(function* () {
      const { pid } = yield* makePool({ rssMax: 1 })
      const first = yield* pid
      assert.isFalse(lives(first))
      assert.notStrictEqual(yield* pid, first)
    })
  )

  it.effect("The pool is unavailable when a process cannot be started", () =>
    Effect.gen(function* () {
      // An environment larger than Linux passes to a program.
      const { pid } = yield* makePool({ env: { TOO_LONG: "x".repeat(3_000_000) } })
      assert.strictEqual((yield* Effect.flip(pid))._tag, "ProcessesUnavailable")
    })
  )

  it.effect("The pool is unavailable, with the reason, when the program does not load", () =>
    Effect.gen(function* () {
      const { pid } = yield* makePool({ program: new URL("missing.ts", import.meta.url) })
      const error = yield* Effect.flip(pid)
      assert.include(String(error._tag === "ProcessesUnavailable" && error.cause), "missing.ts")
    })
  )

  it.effect("The pool is unavailable when the program is not ready in time", () =>
    Effect.gen(function* () {
      const { pid } = yield* makePool({ program: new URL("silentProcess.ts", import.meta.url) })
      const job = yield* fork(Effect.flip(pid))
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual((yield* Fiber.join(job))._tag, "ProcessesUnavailable")
    })
  )

  it.effect("The pool ends with its scope during any job, and fails those who wait", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { ask, pid } = yield* Scope.provide(makePool(), scope)
      const first = yield* pid
      const busy = yield* fork(Effect.flip(ask({ do: "spin" })))
      const waiting = yield* fork(Effect.flip(ask({ do: "say", say: "never" })))
      yield* Scope.close(scope, Exit.void)
      assert.isFalse(lives(first))
      assert.strictEqual((yield* Fiber.join(busy))._tag, "ProcessesUnavailable")
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "ProcessesUnavailable")
    })
  )

  it.effect("A job leaves no listener behind", () =>
    Effect.gen(function* () {
      const warnings: Array<Error> = []
      const listen = (warning: Error) => void warnings.push(warning)
      process.on("warning", listen)
      const { ask } = yield* makePool()
      for (let job = 0; job < 30; job++) yield* ask({ do: "say", say: "again" })
      process.off("warning", listen)
      assert.deepStrictEqual(warnings, [])
    })
  )

  it.effect("A process ends immediately when its parent is gone, even in the middle of a job", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* endOfOrphan, "SIGKILL")
    })
  )
})
