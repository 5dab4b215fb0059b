import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { answering, reason, scripted } from "./scriptedClamd.ts"

const defined = (...pieces: ReadonlyArray<string>) =>
  Effect.flatMap(answering(pieces, "zVERSION\0".length), ({ definitions }) => definitions)

describe("the definitions of clamd", () => {
  it.effect("Definitions have a version and the time at which they were made", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* defined("ClamAV 1.4.6/27000/Fri Nov 20 09:01:02 2026\0"), {
        engine: "ClamAV 1.4.6",
        version: "27000",
        publishedAt: new Date("2026-11-20T09:01:02Z")
      })
      const { publishedAt } = yield* defined("ClamAV 1.4.6/", "27000/Sun Mar  1 00:00:00 2026", "\0")
      assert.deepStrictEqual(publishedAt, new Date("2026-03-01T00:00:00Z"))
    })
  )

  it.effect("Definitions have no time when clamd gives none, or an invalid one", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* defined("ClamAV 1.4.6\0"), {
        engine: "ClamAV 1.4.6",
        version: null,
        publishedAt: null
      })
      for (const date of [
        "",
        "(invalid timestamp)",
        "Mon Feb 30 09:00:00 2026",
        "Fri Nov 20 24:00:00 2026",
        "Fri Nov 20 09:60:00 2026",
        "Fri Nov 20 09:00:60 2026",
        "Fri Nox 20 09:00:00 2026",
        "2026-11-20T09:00:00Z"
      ]) {
        const expected = { engine: "ClamAV 1.4.6", version: "27000", publishedAt: null }
        assert.deepStrictEqual(yield* defined(`ClamAV 1.4.6/27000/${date}\0`), expected, date)
      }
    })
  )

  it.effect("Definitions fail when the reply is anything else", () =>
    Effect.gen(function* () {
      for (const reply of ["", "stream: OK\0", "ClamAV 1.4.6", "OtherAV 1\0", "ClamAV 1.4.6/x/Fri\0"]) {
        assert.strictEqual(yield* reason(defined(reply)), "protocol", reply)
      }
    })
  )

  it.effect("Definitions fail after five seconds", () =>
    Effect.gen(function* () {
      const heard = yield* Deferred.make<void>()
      const scanner = yield* scripted((socket) =>
        socket.on("data", () => Deferred.doneUnsafe(heard, Exit.void))
      )
      const asked = yield* Effect.forkChild(reason(scanner.definitions))
      yield* Deferred.await(heard)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* Fiber.join(asked), "timeout")
    })
  )
})
