import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { nearestName } from "../../../schemas/platform/errors/nearestName.ts"

const names = ["page", "per_page", "cursor", "q", "categoryId", "priceXno", "title"]

describe("the name that a wrong one probably means", () => {
  for (const [wrong, meant] of [
    ["category_id", "categoryId"],
    ["CATEGORY-ID", "categoryId"],
    ["categroyId", "categoryId"],
    ["perPage", "per_page"],
    ["titel", "title"],
    ["price_xno", "priceXno"],
    ["pages", "page"],
    ["x", undefined],
    ["p", undefined],
    ["colour", undefined],
    ["__proto__", undefined],
    ["", undefined],
    ["_-_", undefined],
    ["page".repeat(11), undefined]
  ] as const) {
    it(`The name ${JSON.stringify(wrong)} is taken for ${meant ?? "none"}`, () => {
      assert.strictEqual(nearestName(wrong, names), meant)
    })
  }

  it("A text of any kind is taken for one of the names or for none", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (wrong) => {
        const meant = nearestName(wrong, names)
        return meant === undefined || names.includes(meant)
      })
    )
    assert.isUndefined(nearestName("page", []))
  })
})
