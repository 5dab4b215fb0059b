import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeReusedMemory } from "../../../src/platform/memory/reusedMemory.ts"

describe("memory that is used again", () => {
  it.effect("is had by one user after the other", () =>
    Effect.gen(function* () {
      const memory = yield* makeReusedMemory(8)
      const first = yield* Effect.scoped(Effect.map(memory, (memoryFor) => memoryFor(8)))
      first.fill(1)
      const second = yield* Effect.scoped(Effect.map(memory, (memoryFor) => memoryFor(4)))
      assert.deepStrictEqual([...second], [1, 1, 1, 1])
      assert.instanceOf(second.buffer, SharedArrayBuffer)
    })
  )

  it.effect("is of one user at a time", () =>
    Effect.gen(function* () {
      const memory = yield* makeReusedMemory(4)
      const [one, other] = yield* Effect.scoped(Effect.all([memory, memory]))
      one(4).fill(1)
      assert.deepStrictEqual([...other(4)], [0, 0, 0, 0])
    })
  )

  it.effect("is not kept for more bytes than it is made for", () =>
    Effect.gen(function* () {
      const memory = yield* makeReusedMemory(4)
      const large = yield* Effect.scoped(Effect.map(memory, (memoryFor) => memoryFor(5)))
      const next = yield* Effect.scoped(Effect.map(memory, (memoryFor) => memoryFor(4)))
      assert.strictEqual(large.length, 5)
      assert.notStrictEqual(large.buffer, next.buffer)
    })
  )
})
