import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { OwnerId } from "../../../schemas/platform/Ids.ts"
import { emptyContent } from "../../../src/publishing/posts/content.ts"
import { LONG_WRITES_MAX, LongWrites } from "../../../src/publishing/posts/LongWrites.ts"

const first = OwnerId.make("01900000-0000-7000-8000-000000000001")
const second = OwnerId.make("01900000-0000-7000-8000-000000000002")
const short = { ...emptyContent, free_content_markdown: "a".repeat(49_999) }
const long = { ...emptyContent, free_content_markdown: "a".repeat(49_999), paid_content_markdown: "b" }

layer(LongWrites.layer)("long Posts", (it) => {
  it.effect("Long Posts are written in turn, and short ones immediately", () =>
    Effect.gen(function* () {
      const { inTurn } = yield* LongWrites
      const done = yield* Deferred.make<void>()
      let begun = 0
      const write = Effect.andThen(
        Effect.sync(() => begun++),
        Deferred.await(done)
      )
      const writes = yield* Effect.forEach([1, 2, 3, 4], () => Effect.forkChild(inTurn(first, long, write)))
      yield* Effect.yieldNow
      assert.strictEqual(begun, LONG_WRITES_MAX)
      yield* inTurn(
        first,
        short,
        Effect.sync(() => begun++)
      )
      assert.strictEqual(begun, LONG_WRITES_MAX + 1)
      yield* Deferred.succeed(done, undefined)
      yield* Effect.forEach(writes, Fiber.join)
      assert.strictEqual(begun, 5)
    })
  )

  it.effect("A write that fails or is interrupted gives its turn to the next", () =>
    Effect.gen(function* () {
      const { inTurn } = yield* LongWrites
      for (let n = 0; n < 3; n++) {
        assert.strictEqual(yield* Effect.flip(inTurn(first, long, Effect.fail("failed"))), "failed")
        yield* Fiber.interrupt(yield* Effect.forkChild(inTurn(first, long, Effect.never)))
      }
      assert.strictEqual(yield* inTurn(first, long, Effect.succeed("written")), "written")
    })
  )

  it.effect("Long Posts of one owner delay another owner by one write", () =>
    Effect.gen(function* () {
      const { inTurn } = yield* LongWrites
      const order: Array<string> = []
      const write = (owner: string) =>
        Effect.andThen(
          Effect.yieldNow,
          Effect.sync(() => order.push(owner))
        )
      const many = yield* Effect.forEach([1, 2, 3, 4, 5], () =>
        Effect.forkChild(inTurn(first, long, write("first")))
      )
      yield* Effect.yieldNow
      const one = yield* Effect.forkChild(inTurn(second, long, write("second")))
      yield* Effect.forEach([...many, one], Fiber.join)
      assert.strictEqual(order.length, 6)
      assert.isAtMost(order.indexOf("second"), 2)
    })
  )
})
