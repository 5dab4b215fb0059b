import { assert, describe, it } from "@effect/vitest"
import { freeBytes } from "../../../src/platform/memory/freeBytes.ts"

describe("bytes that are freed", () => {
  it("are empty afterwards", () => {
    const bytes = new Uint8Array(1024)
    freeBytes(bytes)
    assert.strictEqual(bytes.length, 0)
    assert.strictEqual(bytes.buffer.byteLength, 0)
  })

  it("may be freed twice", () => {
    const bytes = new Uint8Array(1024)
    freeBytes(bytes)
    freeBytes(bytes)
    assert.strictEqual(bytes.length, 0)
  })

  it("stay when they are a view of a part, whose rest others may use", () => {
    const whole = Uint8Array.of(1, 2, 3)
    freeBytes(whole.subarray(0, 2))
    freeBytes(whole.subarray(1))
    freeBytes(Buffer.from("of Node's own pool"))
    assert.deepStrictEqual([...whole], [1, 2, 3])
    assert.strictEqual(Buffer.from("x").toString(), "x")
  })

  it("stay when threads share them", () => {
    const shared = new Uint8Array(new SharedArrayBuffer(4))
    freeBytes(shared)
    assert.strictEqual(shared.length, 4)
  })
})
