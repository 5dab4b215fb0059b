import { assert, type it as plain } from "@effect/vitest"
import { Duration, Effect, type Layer } from "effect"
import { RateLimiter } from "effect/persistence"

/** Numbers of a real server are late, never early but for the millisecond by which timers and clocks are rounded. */
const assertLate = (actual: number, expected: number, lateMillis: number, what: string) => {
  assert.isAtMost(actual, expected + Math.min(1, lateMillis), what)
  assert.isAtLeast(actual, expected - lateMillis, what)
}

/** Clock of a store, and the delay that its answers may have. */
export interface StoreTime {
  readonly it: typeof plain.effect | typeof plain.live
  readonly pass: (millis: number) => Effect.Effect<void>
  readonly lateMillis: number
}

/** Checks everything that the limits need of a store. `name` separates the keys of suites over one server. */
export const storeSuite = (
  name: string,
  store: Layer.Layer<RateLimiter.RateLimiterStore>,
  { it, lateMillis, pass }: StoreTime
) => {
  let keys = 0
  const fresh = () => `${name}-${keys++}`

  const window = Effect.fnUntraced(function* (key: string, tokens: number, limit: number | undefined) {
    const { fixedWindow } = yield* RateLimiter.RateLimiterStore
    return yield* fixedWindow({ key, tokens, limit, refillRate: Duration.millis(400) })
  })

  it("A window has its limit, refuses more without counting it, and ends", () =>
    Effect.gen(function* () {
      const key = fresh()
      for (const expected of [1, 2, 3]) {
        const [count, ttl] = yield* window(key, 1, 3)
        assert.strictEqual(count, expected)
        assertLate(ttl, 400 * expected, lateMillis, `after ${expected}`)
      }
      for (let refused = 0; refused < 3; refused++) {
        const [count, ttl] = yield* window(key, 1, 3)
        assert.strictEqual(count, 4)
        assertLate(ttl, 1200, lateMillis, "refused")
      }
      yield* pass(1210)
      assert.strictEqual((yield* window(key, 1, 3))[0], 1)
    }).pipe(Effect.provide(store)))

  it("A window can be read without counting, and a count can be taken back", () =>
    Effect.gen(function* () {
      const key = fresh()
      assert.strictEqual((yield* window(key, 0, 3))[0], 0)
      yield* window(key, 3, 3)
      assert.strictEqual((yield* window(key, 0, 3))[0], 3)
      const [count, ttl] = yield* window(key, -1, 3)
      assert.strictEqual(count, 2)
      assertLate(ttl, 800, lateMillis, "given back")
      assert.strictEqual((yield* window(key, 1, 3))[0], 3)
      assert.strictEqual((yield* window(key, 1, 3))[0], 4)
      // Nothing was counted, so there is nothing to give back.
      const other = fresh()
      yield* window(other, -1, 3)
      yield* pass(10)
      assert.strictEqual((yield* window(other, 1, 3))[0], 1)
    }).pipe(Effect.provide(store)))

  it("A window without a limit counts all, and other keys are separate", () =>
    Effect.gen(function* () {
      const key = fresh()
      for (const expected of [2, 4, 6]) assert.strictEqual((yield* window(key, 2, undefined))[0], expected)
      assert.strictEqual((yield* window(fresh(), 1, 3))[0], 1)
    }).pipe(Effect.provide(store)))

  it("Of many concurrent requests, exactly the limit passes", () =>
    Effect.gen(function* () {
      const key = fresh()
      const asked = Array.from({ length: 200 }, () => window(key, 1, 50))
      const counts = yield* Effect.all(asked, { concurrency: "unbounded" })
      assert.lengthOf(
        counts.filter(([count]) => count <= 50),
        50
      )
    }).pipe(Effect.provide(store)))
}
