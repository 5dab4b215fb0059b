import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { eventually } from "./eventually.ts"

/** Advances the test clock in steps until a condition holds. */
export const passing = Effect.fnUntraced(function* (
  millis: number,
  what: string,
  condition: Effect.Effect<boolean, unknown>
) {
  const clock = yield* TestClock.testClockWith(Effect.succeed)
  yield* eventually(what, Effect.andThen(clock.adjust(millis), condition))
})
