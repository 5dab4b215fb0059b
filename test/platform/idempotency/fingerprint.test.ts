import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import * as DigestNode from "../../../layers/crypto/DigestNode.ts"
import { makeFingerprintOf } from "../../../src/platform/idempotency/fingerprint.ts"

describe("the fingerprint of an intent", () => {
  const fingerprintOf = Effect.runSync(Effect.provide(makeFingerprintOf, DigestNode.layer))
  const hexOf = (intent: unknown) => Buffer.from(Effect.runSync(fingerprintOf(intent))).toString("hex")
  const isEqual = (one: unknown, other: unknown) => hexOf(one) === hexOf(other)
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([name, it]) => [name, reversed(it)])
    )
  }

  it("A fingerprint is the same in any order of the members", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => assert.isTrue(isEqual(value, reversed(value)))))
  })

  it("A fingerprint differs with any value, name, type or order of an array", () => {
    const different: ReadonlyArray<readonly [unknown, unknown]> = [
      [{ a: 1 }, { a: 2 }],
      [{ a: 1 }, { b: 1 }],
      [{ a: 1 }, { a: "1" }],
      [{ a: null }, {}],
      [{ a: [1, 2] }, { a: [2, 1] }],
      [{ a: { b: 1 } }, { a: 1, b: 1 }],
      [{ a: "" }, { a: null }],
      [{ a: "é" }, { a: "e\u0301" }],
      [[], {}]
    ]
    for (const [one, other] of different) assert.isFalse(isEqual(one, other), JSON.stringify([one, other]))
  })

  it("A fingerprint is the SHA-256 of its JSON, as earlier versions saved it", () => {
    assert.strictEqual(hexOf({}), "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a")
  })
})
