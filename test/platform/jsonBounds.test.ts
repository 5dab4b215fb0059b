import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import * as fc from "fast-check"
import {
  exceededBound,
  fromShallowJson,
  isTooDeep,
  JSON_LEVELS_MAX,
  JSON_VALUES_MAX
} from "../../schemas/platform/jsonBounds.ts"
import { soak } from "../support/soak.ts"

const RUNS = { numRuns: soak(500, 50_000) }

const utf8 = new TextEncoder()
const boundOf = (json: string) => exceededBound(utf8.encode(json))

/** Levels of a value. The arbitraries below stay far from the depth of the stack. */
const levelsOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(levelsOf)) : 0

/** Members and elements of a value, and one for each empty object or array. */
const valuesOf = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return 0
  const inner = Object.values(value)
  return Math.max(1, inner.length) + inner.reduce<number>((sum, it) => sum + valuesOf(it), 0)
}

/** Texts full of the bytes that have a meaning outside of texts. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom("[", "]", "{", "}", ",", '"', "\\", ":", "é", "😀"), maxLength: 12 }),
  fc.string({ unit: "binary", maxLength: 6 })
)

const scalar = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null))

/** An object or array around a value, with other values before and after it. */
const wrapper = fc
  .record({
    isObject: fc.boolean(),
    name: text,
    before: fc.array(scalar, { maxLength: 2 }),
    after: fc.array(scalar, { maxLength: 2 })
  })
  .map(({ after, before, isObject, name }) => (inner: unknown): unknown => {
    if (!isObject) return [...before, inner, ...after]
    const entries = [...before, inner, ...after].map((value, i) => [
      i === before.length ? name : `${i}`,
      value
    ])
    return Object.fromEntries(entries)
  })

/** A value of at least this many levels, objects and arrays mixed. */
const nested = (levels: number) =>
  fc
    .tuple(scalar, fc.array(wrapper, { minLength: levels, maxLength: levels }))
    .map(([inner, wrappers]) => wrappers.reduce<unknown>((value, wrap) => wrap(value), inner))

const spaced = fc.constantFrom(undefined, 1, "\t", "\n")

describe("the bounds of JSON", () => {
  it("The levels of any value are counted, with any texts in it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 64 }).chain(nested), spaced, (value, space) => {
        const json = JSON.stringify(value, null, space)
        for (const levelsMax of [Math.max(0, levelsOf(value) - 1), levelsOf(value)]) {
          assert.strictEqual(isTooDeep(json, levelsMax), levelsMax < levelsOf(value), json)
        }
        assert.strictEqual(isTooDeep(json), levelsOf(value) > JSON_LEVELS_MAX)
      }),
      RUNS
    )
  })

  it("The values of any value are counted", () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: "medium" }), spaced, (value, space) => {
        const json = utf8.encode(JSON.stringify(value, null, space))
        const values = valuesOf(value)
        const bounds = { levelsMax: Infinity }
        assert.isUndefined(exceededBound(json, { ...bounds, valuesMax: values }))
        if (values > 0)
          assert.strictEqual(exceededBound(json, { ...bounds, valuesMax: values - 1 }), "values")
      }),
      RUNS
    )
  })

  it("JSON may have 32 levels but not 33, of arrays, of objects and of both", () => {
    const kinds = [
      ["[", "]"],
      ['{"a":', "}"],
      ['[{"a":', "}]"],
      ['{"[":[', "]}"]
    ] as const
    for (const [begin, end] of kinds) {
      const each = begin.startsWith("[{") || (begin.endsWith("[") && begin.length > 1) ? 2 : 1
      const deepest = begin.repeat(32 / each) + "1" + end.repeat(32 / each)
      assert.isUndefined(boundOf(deepest), begin)
      assert.strictEqual(boundOf(`[${deepest}]`), "levels", begin)
      assert.strictEqual(boundOf(`{"a":${deepest}}`), "levels", begin)
      // Without its ends it is no JSON, but a parser would count its levels all the same.
      assert.strictEqual(boundOf(`[${begin.repeat(32 / each)}`), "levels", begin)
    }
  })

  it("Brackets in a text do not count, even with escaped quotes or without an end", () => {
    const brackets = "[{".repeat(500)
    for (const inner of [
      brackets,
      `\\"${brackets}`,
      `\\\\\\"${brackets}`,
      `${brackets}\\\\`,
      `\\u0022${brackets}`
    ]) {
      assert.isUndefined(boundOf(`{"a":"${inner}"}`), inner.slice(0, 20))
      assert.isUndefined(boundOf(`{"${inner}":1}`), inner.slice(0, 20))
      assert.isUndefined(boundOf(`["${inner}`), inner.slice(0, 20))
    }
    // An even number of backslashes does not escape the quote after them.
    for (const end of ["", "\\\\", "\\\\\\\\"]) {
      assert.strictEqual(boundOf(`["a${end}",${brackets}`), "levels", end)
    }
  })

  it("Siblings count once, and an end before any beginning does not count", () => {
    assert.isUndefined(boundOf(`[${Array.from({ length: 240 }, () => "[]").join()}]`))
    assert.strictEqual(boundOf("]".repeat(100) + "[".repeat(33)), "levels")
  })

  it("JSON may have 500 values but not 501", () => {
    const list = (length: number) => JSON.stringify(Array.from({ length }, () => 1))
    assert.isUndefined(boundOf(list(JSON_VALUES_MAX)))
    assert.strictEqual(boundOf(list(JSON_VALUES_MAX + 1)), "values")
    // A list of lists of one has no more commas, but twice as many values.
    const lists = (length: number) => JSON.stringify(Array.from({ length }, () => [1]))
    assert.isUndefined(boundOf(lists(JSON_VALUES_MAX / 2)))
    assert.strictEqual(boundOf(lists(JSON_VALUES_MAX / 2 + 1)), "values")
  })

  it("The check ends for any bytes", () => {
    const byte = fc.constantFrom(...utf8.encode('[]{},"\\:a'), 0, 0xff)
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 200 }), (bytes) => {
        const bound = exceededBound(Uint8Array.from(bytes), { levelsMax: 5, valuesMax: 20 })
        assert.include([undefined, "levels", "values"], bound)
      }),
      RUNS
    )
  })

  it.effect("The bounds are checked before the JSON of another program is parsed", () =>
    Effect.sync(() => {
      const decode = Schema.decodeUnknownOption(fromShallowJson(Schema.Unknown))
      assert.deepStrictEqual(decode('{"a":[1]}'), Option.some({ a: [1] }))
      const parse = JSON.parse
      let parsed = 0
      JSON.parse = (json: string) => {
        parsed++
        return parse(json)
      }
      try {
        const nest = (levels: number) => "[".repeat(levels) + "]".repeat(levels)
        assert.isTrue(Option.isNone(decode(nest(33))))
        assert.isTrue(Option.isNone(decode("[".repeat(1_000_000))))
        assert.strictEqual(parsed, 0)
        assert.isTrue(Option.isSome(decode(nest(32))))
        assert.strictEqual(parsed, 1)
      } finally {
        JSON.parse = parse
      }
    })
  )
})
