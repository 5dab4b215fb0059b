import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { assertClocks, clockSkew } from "../../../layers/postgres/clocks.ts"
import { Logs } from "../../platform/http/Logs.ts"
import { database } from "../../support/Database.ts"

const SECOND = 1_000

/** Sets the clock of this machine by this many seconds before that of the database. */
const behind = (seconds: number) =>
  Effect.andThen(clockSkew, (skew) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => TestClock.setTime(now + (skew - seconds) * SECOND))
  )

layer(database("test_clocks"))("the clocks of this machine and of the database", (it) => {
  it.effect(
    "Clocks that differ by up to two seconds are not mentioned, and by up to thirty are warned of",
    () =>
      Effect.gen(function* () {
        for (const [seconds, warnings] of [
          [0, 0],
          [1, 0],
          [-1, 0],
          [5, 1],
          [-25, 1]
        ] as const) {
          yield* behind(seconds)
          const lines = yield* Effect.provide(Effect.andThen(assertClocks, Logs), Logs.layer)
          assert.lengthOf(
            lines.filter(({ level }) => level === "Warn"),
            warnings,
            String(seconds)
          )
        }
      })
  )

  it.effect("A start is refused by one sentence when the clocks differ by more than thirty seconds", () =>
    Effect.gen(function* () {
      for (const [seconds, direction] of [
        [40, "ahead of"],
        [-3_600, "behind"]
      ] as const) {
        yield* behind(seconds)
        const { message } = yield* Effect.flip(assertClocks)
        assert.match(
          message,
          new RegExp(`^The clock of the database is \\d+\\.\\d s ${direction} [^.]+\\. [^.]+: [^.]+\\.$`)
        )
      }
    })
  )
})
