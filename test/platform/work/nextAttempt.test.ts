import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import * as SecureRandomSeeded from "../../../layers/testing/SecureRandomSeeded.ts"
import { nextAttempt } from "../../../src/platform/work/nextAttempt.ts"

const backoff = { firstMillis: 1_000, longestMillis: 60_000 }

it.effect("Jitter makes an attempt up to a fifth earlier, and never later", () =>
  Effect.gen(function* () {
    const random = yield* SecureRandom.SecureRandom
    yield* TestClock.setTime(1_000_000)
    const times = yield* Effect.replicateEffect(nextAttempt(random, backoff, 7), 200)
    const waits = times.map((at) => at.getTime() - 1_000_000)
    assert.isAtLeast(Math.min(...waits), 48_000)
    assert.isAtMost(Math.max(...waits), 60_000)
    assert.isBelow(Math.min(...waits), 49_000)
    assert.isAbove(Math.max(...waits), 59_000)
  }).pipe(Effect.provide(SecureRandomSeeded.layer(1)))
)
