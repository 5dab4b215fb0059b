import { assert, describe, it } from "@effect/vitest"
import { Option, Result, Schema } from "effect"
import * as fc from "fast-check"
import {
  agreedPrice,
  checkPriceRaw,
  MAX_RAW,
  parsePriceXno,
  PRICE_MAX_RAW,
  PRICE_MIN_RAW,
  PRICE_STEP_RAW,
  priceMessage,
  type PriceRefusal,
  xnoOfRaw
} from "../../../schemas/platform/Nano.ts"
import { PriceRaw } from "../../../schemas/publishing/posts/Post.ts"

const refusalOf = <A>(result: Result.Result<A, PriceRefusal>) => Option.getOrNull(Result.getFailure(result))
const anyPrice = fc
  .bigInt({ min: PRICE_MIN_RAW / PRICE_STEP_RAW, max: PRICE_MAX_RAW / PRICE_STEP_RAW })
  .map((steps) => steps * PRICE_STEP_RAW)

describe("the price of a Post", () => {
  it("A price is 0.00001 to 9999 XNO, both included", () => {
    assert.deepStrictEqual(parsePriceXno("0.00001"), Result.succeed(PRICE_MIN_RAW))
    assert.deepStrictEqual(parsePriceXno("9999"), Result.succeed(PRICE_MAX_RAW))
    assert.deepStrictEqual(refusalOf(parsePriceXno("0.000009")), {
      reason: "out_of_range",
      nearestRaw: PRICE_MIN_RAW
    })
    assert.deepStrictEqual(refusalOf(parsePriceXno("9999.000001")), {
      reason: "out_of_range",
      nearestRaw: PRICE_MAX_RAW
    })
    assert.deepStrictEqual(refusalOf(checkPriceRaw(PRICE_MIN_RAW - 1n)), {
      reason: "out_of_range",
      nearestRaw: PRICE_MIN_RAW
    })
    assert.deepStrictEqual(refusalOf(checkPriceRaw(PRICE_MAX_RAW + 1n)), {
      reason: "out_of_range",
      nearestRaw: PRICE_MAX_RAW
    })
    assert.strictEqual(refusalOf(parsePriceXno("0"))?.reason, "out_of_range")
    assert.strictEqual(refusalOf(parsePriceXno("9".repeat(100)))?.reason, "out_of_range")
    assert.strictEqual(refusalOf(checkPriceRaw(-1n))?.reason, "out_of_range")
  })

  it("A price has at most six decimals, and its refusal rounds it, a half going up", () => {
    const rounded = (text: string) => {
      const refusal = refusalOf(parsePriceXno(text))
      return refusal?.reason === "too_many_decimals" ? xnoOfRaw(refusal.nearestRaw) : refusal?.reason
    }
    assert.strictEqual(rounded("0.2500004"), "0.25")
    assert.strictEqual(rounded("0.2500005"), "0.250001")
    assert.strictEqual(rounded(`0.2500004${"9".repeat(60)}`), "0.25")
    assert.strictEqual(rounded(`0.25${"0".repeat(40)}1`), "0.25")
    assert.strictEqual(rounded("9998.9999999"), "9999")
    assert.strictEqual(rounded("0.0000100000001"), "0.00001")
    assert.strictEqual(rounded(`9999.${"0".repeat(40)}1`), "out_of_range")
    assert.deepStrictEqual(refusalOf(checkPriceRaw(PRICE_STEP_RAW * 100n + 1n)), {
      reason: "too_many_decimals",
      nearestRaw: PRICE_STEP_RAW * 100n
    })
  })

  it("Zeros at the end of the decimals do not count", () => {
    assert.deepStrictEqual(parsePriceXno("0.25000000"), Result.succeed(25n * 10n ** 28n))
    assert.deepStrictEqual(parsePriceXno(`9999.${"0".repeat(40)}`), Result.succeed(PRICE_MAX_RAW))
  })

  it("A price is a plain decimal", () => {
    for (const bad of [
      "",
      "1e3",
      "-1",
      "+1",
      " 1",
      "1.",
      ".5",
      "01",
      "1,5",
      "free",
      `0.${"1".repeat(127)}`
    ]) {
      assert.strictEqual(refusalOf(parsePriceXno(bad))?.reason, "invalid", bad)
    }
  })

  it("A price in both units must be the same", () => {
    const quarter = 25n * 10n ** 28n
    assert.deepStrictEqual(
      agreedPrice({ priceXno: "0.25", priceRaw: quarter }),
      Result.succeed(Option.some(quarter))
    )
    assert.deepStrictEqual(agreedPrice({ priceXno: "0.25" }), Result.succeed(Option.some(quarter)))
    assert.deepStrictEqual(agreedPrice({ priceRaw: quarter }), Result.succeed(Option.some(quarter)))
    assert.deepStrictEqual(agreedPrice({}), Result.succeed(Option.none()))
    assert.deepStrictEqual(refusalOf(agreedPrice({ priceXno: "0.26", priceRaw: quarter })), {
      reason: "mismatch"
    })
    assert.strictEqual(
      refusalOf(agreedPrice({ priceXno: "0.2500001", priceRaw: quarter }))?.reason,
      "too_many_decimals"
    )
  })

  it("A refused price has a message that names the nearest price", () => {
    const words = (text: string) => Option.map(Result.getFailure(parsePriceXno(text)), priceMessage)
    assert.deepStrictEqual(
      words("0.2500005"),
      Option.some(
        "A price has at most 6 decimals; the nearest is 0.250001 XNO (250001000000000000000000000000 raw)"
      )
    )
    assert.include(Option.getOrNull(words("10000")), "9999 XNO (9999000000000000000000000000000000 raw)")
    assert.include(Option.getOrNull(words("free")), "plain decimal")
    assert.include(priceMessage({ reason: "mismatch" }), "different")
  })

  it("The pattern of answers and of the OpenAPI document takes exactly the prices", () => {
    const isAnswered = Schema.is(PriceRaw)
    const edges = [PRICE_MIN_RAW, PRICE_MAX_RAW, 9_998_999_999n * PRICE_STEP_RAW, 10n ** 34n, 0n]
    const near = fc
      .tuple(fc.constantFrom(...edges), fc.bigInt({ min: -3n, max: 3n }), fc.constantFrom(1n, PRICE_STEP_RAW))
      .map(([edge, steps, step]) => edge + steps * step)
    const steps = fc.bigInt({ min: 0n, max: 20_000n * 10n ** 6n }).map((it) => it * PRICE_STEP_RAW)
    const any = fc.bigInt({ min: -(10n ** 35n), max: 10n ** 40n })
    fc.assert(
      fc.property(fc.oneof(near, steps, anyPrice, any), (raw) => {
        assert.strictEqual(isAnswered(raw.toString()), Result.isSuccess(checkPriceRaw(raw)), raw.toString())
      }),
      { numRuns: 2000 }
    )
    assert.isFalse(isAnswered(`0${PRICE_MIN_RAW}`))
  })

  it("Every step in the range is a price, in both units", () => {
    fc.assert(
      fc.property(anyPrice, (raw) => {
        assert.deepStrictEqual(
          agreedPrice({ priceXno: xnoOfRaw(raw), priceRaw: raw }),
          Result.succeed(Option.some(raw))
        )
      })
    )
  })

  it("A refusal names the nearest price for every amount", () => {
    const anyRaw = fc.oneof(fc.bigInt({ min: 0n, max: MAX_RAW }), fc.bigInt({ min: 0n, max: PRICE_MAX_RAW }))
    fc.assert(
      fc.property(anyRaw, (raw) => {
        const refusal = refusalOf(checkPriceRaw(raw))
        if (refusal === null || !("nearestRaw" in refusal)) return
        const { nearestRaw } = refusal
        assert.deepStrictEqual(checkPriceRaw(nearestRaw), Result.succeed(nearestRaw))
        if (refusal.reason === "out_of_range") return
        const twice = (raw - nearestRaw) * 2n
        assert.isTrue(-PRICE_STEP_RAW <= twice && twice < PRICE_STEP_RAW)
      })
    )
  })

  it("Any text is at most refused as a price", () => {
    const digits = fc.string({ unit: fc.constantFrom(..."0123456789.eE+- "), maxLength: 200 })
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), digits), (text) =>
        assert.isBoolean(Result.isSuccess(parsePriceXno(text)))
      )
    )
  })
})
