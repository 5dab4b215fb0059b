import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { pageText, plainPageText } from "../../../../src/publishing/content/html/pageText.ts"
import { REST, withMark } from "../../../../src/publishing/content/html/restMark.ts"
import { soak } from "../../../support/soak.ts"

const plain = () => undefined

describe("The place where the part for buyers begins", () => {
  it("The place is between the two parts, for any kinds of blocks around it", () => {
    for (const [free, paid] of [
      ["Free", "Paid"],
      ["- one\n- two", "- three"],
      ["| a |\n| --- |\n| b |", "# Heading"],
      ["> quotation", "> more"],
      ["```\ncode\n```", "    code"],
      ["Free[^1]", "[^1]: Note\n\nPaid"]
    ] as const) {
      const { html } = pageText(withMark(free, paid), plain)
      const [before = "", after, ...more] = html.split(REST)
      assert.lengthOf(more, 0, free)
      assert.isDefined(after, free)
      assert.notStrictEqual(before.trim(), "", free)
      assert.notStrictEqual(after?.trim(), "", free)
    }
    assert.isTrue(pageText(withMark(null, "Paid"), plain).html.startsWith(REST))
    assert.strictEqual(pageText(withMark("Free words", "Paid words"), plain).words, 4)
  })

  it("A part that swallows the place leaves no trace of it", () => {
    for (const { html } of [
      pageText(withMark("```\ncode without an end", "Paid"), plain),
      plainPageText(withMark("Free", "Paid"))
    ]) {
      assert.notMatch(html, /[\uE0F3\uE0F4]|id="rest"/)
      assert.include(html, "Paid")
    }
    const text = fc.string({
      unit: fc.constantFrom("`", "\n", "- ", "> ", "a", "|", "[", "]", "(", "<", "*", "1. ")
    })
    fc.assert(
      fc.property(text, text, (free, paid) => {
        const { html } = pageText(withMark(free, paid), plain)
        assert.notMatch(html, /[\uE0F3\uE0F4]/)
        assert.isAtMost(html.split(REST).length, 2)
      }),
      { numRuns: soak(200, 20_000) }
    )
  })
})
