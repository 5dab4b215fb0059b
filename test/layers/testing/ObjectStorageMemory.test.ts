import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as fc from "fast-check"
import * as ObjectStorageMemory from "../../../layers/testing/ObjectStorageMemory.ts"
import { ObjectKey, ObjectStorage, StorageUnavailable } from "../../../src/platform/ports/ObjectStorage.ts"

const a = ObjectKey.make("a")

describe("the key of an object", () => {
  const isKey = Schema.is(ObjectKey)

  it("A key is bounded in its segments and as a whole", () => {
    const segment = "x".repeat(120)
    assert.isTrue(isKey(segment))
    assert.isFalse(isKey(`${segment}x`))
    assert.isTrue(isKey("a/b/c/d/e/f/g/h"))
    assert.isFalse(isKey("a/b/c/d/e/f/g/h/i"))
    const long = [segment, segment, segment, segment].join("/")
    assert.isTrue(isKey(`${long}/${"x".repeat(512 - long.length - 1)}`))
    assert.isFalse(isKey(`${long}/${"x".repeat(512 - long.length)}`))
  })

  it("A key never holds an empty, hidden or parent segment, for any text", () => {
    const near = fc.string({ unit: fc.constantFrom(..."a0./_-~\\\0A ") })
    fc.assert(
      fc.property(fc.oneof(near, fc.string({ unit: "binary" })), (any) => {
        const segments = any.split("/")
        assert.isTrue(!isKey(any) || segments.every((segment) => segment !== "" && !segment.startsWith(".")))
      })
    )
  })
})

describe("the memory double", () => {
  it.effect("The double fails as often as told", () =>
    Effect.gen(function* () {
      const storage = yield* ObjectStorage
      const memory = yield* ObjectStorageMemory.ObjectStorageMemory
      yield* memory.failNext("put", 2)
      const put = storage.put(a, new Uint8Array(1), { contentType: "text/plain" })
      assert.instanceOf(yield* Effect.flip(put), StorageUnavailable)
      assert.instanceOf(yield* Effect.flip(put), StorageUnavailable)
      assert.strictEqual((yield* memory.objects).size, 0)
      yield* put
      assert.deepStrictEqual([...(yield* memory.objects).keys()], [a])
    }).pipe(Effect.provide(ObjectStorageMemory.layer))
  )
})
