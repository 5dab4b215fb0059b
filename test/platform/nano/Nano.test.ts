import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import * as fc from "fast-check"
import {
  addressOfPublicKey,
  MAX_RAW,
  NanoAddress,
  NanoPublicKey,
  publicKeyOfAddress,
  RawAmount,
  rawOfXno,
  xnoOfRaw
} from "../../../schemas/platform/Nano.ts"
import { vectors } from "./vectors.ts"

const address = Schema.decodeUnknownOption(NanoAddress)
const amount = Schema.decodeUnknownOption(RawAmount)
const anyKey = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => NanoPublicKey.make(Buffer.from(bytes).toString("hex")))
const anyRaw = fc.bigInt({ min: 0n, max: MAX_RAW })

describe("a Nano address", () => {
  for (const vector of vectors.addresses) {
    it(`The address ${vector.address} is ${vector.valid ? "read" : "refused"}: ${vector.why}`, () => {
      const read = address(vector.address)
      assert.strictEqual(Option.isSome(read), vector.valid)
      assert.deepStrictEqual(
        Option.getOrNull(Option.map(read, publicKeyOfAddress)) as string | null,
        vector.publicKey
      )
    })
  }

  it("An address is made from a key", () => {
    const named = [...vectors.keys, ...vectors.seeds, ...vectors.bip44]
    assert.strictEqual(named.length, 10)
    for (const vector of named) {
      assert.strictEqual<string>(addressOfPublicKey(NanoPublicKey.make(vector.publicKey)), vector.address)
    }
  })

  it("An address with the legacy prefix becomes the canonical one", () => {
    const legacy = "xrb_1anrzcuwe64rwxzcco8dkhpyxpi8kd7zsjc1oeimpc3ppca4mrjtwnqposrs"
    assert.deepStrictEqual(
      Option.getOrNull(address(legacy)) as string | null,
      legacy.replace("xrb_", "nano_")
    )
  })

  it("An address in upper case, with space, too long or not a text is refused", () => {
    const good = vectors.keys[0]!.address
    for (const bad of [
      good.toUpperCase(),
      ` ${good}`,
      `${good}\n`,
      `${good}1`,
      good.slice(5),
      "",
      7,
      null,
      {}
    ]) {
      assert.isTrue(Option.isNone(address(bad)), String(bad))
    }
  })

  it("An address round-trips with its key", () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        const spelled = addressOfPublicKey(key)
        assert.strictEqual(publicKeyOfAddress(spelled), key)
        assert.isTrue(Option.isSome(address(spelled)))
      })
    )
  })

  it("An address with any one character changed is refused", () => {
    fc.assert(
      fc.property(anyKey, fc.nat(64), fc.string({ minLength: 1, maxLength: 1 }), (key, at, other) => {
        const spelled = addressOfPublicKey(key)
        fc.pre(spelled[at] !== other)
        assert.isTrue(Option.isNone(address(spelled.slice(0, at) + other + spelled.slice(at + 1))))
      })
    )
  })

  it("Any text is at most refused as an address", () => {
    const alphabet = fc.constantFrom(..."13456789abcdefghijkmnopqrstuwxyz0lvA")
    const near = fc.string({ unit: alphabet, minLength: 59, maxLength: 61 }).map((digits) => `nano_${digits}`)
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), near), (text) =>
        assert.isBoolean(Option.isSome(address(text)))
      )
    )
  })
})

describe("a raw amount", () => {
  it("A raw amount is read up to 2^128 - 1, inclusive", () => {
    assert.deepStrictEqual(amount("340282366920938463463374607431768211455"), Option.some(MAX_RAW))
    assert.deepStrictEqual(amount("0"), Option.some(0n))
    for (const bad of [
      `${MAX_RAW + 1n}`,
      "9".repeat(39),
      `1${"0".repeat(39)}`,
      "-1",
      "00",
      "01",
      "1e3",
      "0x1",
      " 1",
      "1 "
    ]) {
      assert.isTrue(Option.isNone(amount(bad)), bad)
    }
    for (const bad of ["", "1.0", "+1", "१", "1n", "1_0", 1, 1n, null]) {
      assert.isTrue(Option.isNone(amount(bad)), String(bad))
    }
  })

  it("A raw amount is written as it was read", () => {
    fc.assert(
      fc.property(anyRaw, (raw) => {
        assert.deepStrictEqual(amount(Schema.encodeSync(RawAmount)(raw)), Option.some(raw))
      })
    )
  })
})

describe("XNO", () => {
  for (const { raw, xno } of vectors.units) {
    it(`An amount of ${xno} XNO is ${raw} raw`, () => {
      assert.deepStrictEqual(rawOfXno(xno), Option.some(BigInt(raw)))
      assert.strictEqual(xnoOfRaw(BigInt(raw)), xno)
    })
  }

  it("An amount of XNO round-trips exactly, to the last raw", () => {
    assert.deepStrictEqual(rawOfXno(`0.${"0".repeat(29)}1`), Option.some(1n))
    assert.deepStrictEqual(rawOfXno("340282366.920938463463374607431768211455"), Option.some(MAX_RAW))
    fc.assert(fc.property(anyRaw, (raw) => assert.deepStrictEqual(rawOfXno(xnoOfRaw(raw)), Option.some(raw))))
  })

  it("An amount of XNO is a plain decimal of at most 30 decimals", () => {
    for (const bad of [
      "1e3",
      "-1",
      "+1",
      " 1",
      "1 ",
      "1.",
      ".5",
      "01",
      "1,5",
      "1.5.0",
      "",
      "NaN",
      "Infinity"
    ]) {
      assert.isTrue(Option.isNone(rawOfXno(bad)), bad)
    }
    for (const bad of [
      `0.${"0".repeat(31)}`,
      "340282366.920938463463374607431768211456",
      "1000000000",
      "٣"
    ]) {
      assert.isTrue(Option.isNone(rawOfXno(bad)), bad)
    }
    assert.deepStrictEqual(rawOfXno(`1.${"0".repeat(30)}`), Option.some(10n ** 30n))
  })

  it("Any text is at most refused as an amount of XNO", () => {
    const digits = fc.string({ unit: fc.constantFrom(..."0123456789.eE+- ") })
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), digits), (text) =>
        assert.isBoolean(Option.isSome(rawOfXno(text)))
      )
    )
  })
})
