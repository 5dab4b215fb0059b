import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { jsonMistakeIn } from "../../../src/platform/http/jsonMistake.ts"

describe("the place where a text stops being JSON", () => {
  for (const [text, place, wanted] of [
    ["{'a':1}", "Line 1, column 2", /name/],
    ['{"a":1,}', "Line 1, column 8", /no comma stands before }/],
    ['{"a":[1,2,]}', "Line 1, column 11", /no comma stands before \]/],
    ['{\n  "a": 1\n  "b": 2\n}', "Line 3, column 3", /comma or }/],
    ['{"a":True}', "Line 1, column 6", /true, false or null/],
    ["NaN", "Line 1, column 1", /a value/],
    ['{"a":.5}', "Line 1, column 6", /a value/],
    ['{"a":1', "Line 1, column 7: the body ends", /comma or }/],
    ['{"a":"b', "Line 1, column 8: the body ends", /closing quote/],
    ['{"a":"one\ntwo"}', "Line 1, column 10", /\\n/],
    [String.raw`{"a":"C:\path"}`, "Line 1, column 9", /escape/],
    ['{"a":1} {"b":2}', "Line 1, column 9", /end of the body/],
    ['{"a" 1}', "Line 1, column 6", /colon/],
    ["// x\n{}", "Line 1, column 1", /a value/],
    ["```json\n{}\n```", "Line 1, column 1", /a value/],
    ["\ufeff\ufeff{}", "Line 1, column 1", /a value/],
    ["", "Line 1, column 1: the body ends", /a value/]
  ] as const) {
    it(`The mistake in ${JSON.stringify(text)} is named by its line and column`, () => {
      const sentence = jsonMistakeIn(text) ?? ""
      assert.isTrue(sentence.startsWith(place), sentence)
      assert.match(sentence, wanted)
    })
  }

  const isJson = (text: string) => {
    try {
      JSON.parse(text)
      return true
    } catch {
      return false
    }
  }

  it("A text has a mistake exactly when it is not JSON", () => {
    const broken = fc
      .tuple(
        fc.json({ maxDepth: 4 }),
        fc.nat(),
        fc.constantFrom("", '"', ",", "}", "\\", "\n", "e", "0", "-")
      )
      .map(([json, at, put]) => {
        const index = at % (json.length + 1)
        return json.slice(0, index) + put + json.slice(index + (at % 2))
      })
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.json(), broken), (text) => {
        assert.strictEqual(jsonMistakeIn(text) === undefined, isJson(text))
      })
    )
  })

  it("A text of megabytes is read in one pass", () => {
    assert.match(jsonMistakeIn(`{"a":"${"x\\n".repeat(1_300_000)}"`) ?? "", /comma or }/)
  })
})
