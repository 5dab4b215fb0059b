import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import * as fc from "fast-check"
import { base62, base62Digit, bytesOfBase62 } from "../../../src/platform/secrets/base62.ts"
import { hashOf, Secrets } from "../../../src/platform/secrets/Secrets.ts"

const valueOf = (text: string) =>
  [...text].reduce((value, digit) => {
    const digits = Array.from({ length: 62 }, (_, place) => base62Digit(place))
    return value * 62n + BigInt(digits.indexOf(digit))
  }, 0n)

const live = Secrets.layer.pipe(Layer.provide(SecureRandom.layerWebCrypto))

/** Secrets from a source that repeats one byte. */
const from = (byte: number) =>
  Secrets.layer.pipe(
    Layer.provide(
      Layer.sync(SecureRandom.SecureRandom, () =>
        SecureRandom.make((size) => new Uint8Array(size).fill(byte))
      )
    )
  )

describe("base 62", () => {
  it("Base 62 has 62 digits, all letters and figures", () => {
    const digits = Array.from({ length: 62 }, (_, place) => base62Digit(place))
    assert.strictEqual(new Set(digits).size, 62)
    assert.match(digits.join(""), /^[0-9A-Za-z]{62}$/)
  })

  it("Base 62 writes bytes as one number, with one width for each length", () => {
    assert.strictEqual(base62(new Uint8Array()), "")
    assert.strictEqual(base62(Uint8Array.of(0)), "00")
    assert.strictEqual(base62(Uint8Array.of(61)), "0z")
    assert.strictEqual(base62(Uint8Array.of(62)), "10")
    assert.strictEqual(base62(Uint8Array.of(255)), "47")
    assert.strictEqual(base62(new Uint8Array(32)), "0".repeat(43))
    assert.lengthOf(base62(new Uint8Array(32).fill(255)), 43)
  })

  it("Base 62 reads back what it wrote, and nothing else", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        assert.deepStrictEqual(
          bytesOfBase62(base62(bytes), bytes.length),
          Option.some(Uint8Array.from(bytes))
        )
      })
    )
    for (const text of ["0", "000", "0-", "0é", "48", "zz"])
      assert.deepStrictEqual(bytesOfBase62(text, 1), Option.none())
  })

  it("Base 62 loses no bits", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (bytes) => {
        const text = base62(bytes)
        assert.lengthOf(text, Math.ceil((bytes.length * 8) / Math.log2(62)))
        assert.strictEqual(valueOf(text), BigInt(`0x${Buffer.from(bytes).toString("hex")}`))
      })
    )
  })
})

describe("secrets", () => {
  it.effect("Secrets are 32 random bytes in base 62, and never repeat", () =>
    Effect.gen(function* () {
      const { hex, keyId, token } = yield* Secrets
      const tokens = yield* Effect.replicateEffect(token, 100)
      for (const it of tokens) assert.match(it, /^[0-9A-Za-z]{43}$/)
      const ids = yield* Effect.replicateEffect(keyId, 100)
      for (const it of ids) assert.match(it, /^[0-9A-Za-z]{16}$/)
      assert.strictEqual(new Set([...tokens, ...ids]).size, 200)
      assert.match(yield* hex(16), /^[0-9a-f]{32}$/)
    }).pipe(Effect.provide(live))
  )

  it.effect("Secrets use every byte that they are given", () =>
    Effect.gen(function* () {
      const { hex, token } = yield* Secrets
      assert.strictEqual(yield* token, base62(new Uint8Array(32).fill(171)))
      assert.strictEqual(yield* hex(4), "abababab")
    }).pipe(Effect.provide(from(171)))
  )

  it.effect("Key ids use all 62 digits alike", () =>
    Effect.gen(function* () {
      const { keyId } = yield* Secrets
      const digits = (yield* Effect.replicateEffect(keyId, 400)).join("")
      const counts = new Map<string, number>()
      for (const digit of digits) counts.set(digit, (counts.get(digit) ?? 0) + 1)
      assert.strictEqual(counts.size, 62)
      // The test expects 103 of each; six standard deviations are 61.
      for (const [digit, count] of counts) assert.isTrue(count > 42 && count < 164, `${digit}: ${count}`)
    }).pipe(Effect.provide(live))
  )

  it("Secrets are stored as their SHA-256", () => {
    const hash = Buffer.from(hashOf(Redacted.make("abc"))).toString("hex")
    assert.strictEqual(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  })
})
