import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { nativeOfMarkdown } from "../../../src/publishing/content/native/readNative.ts"
import { imageMarkdown, imagesIn } from "../../../src/web/pictures/images.ts"

const URL_OF_PICTURE = "https://press.test/media/a/b.png"

describe("the Markdown of a picture", () => {
  it("A description of any characters shows as it was typed, and is found again", () => {
    const hostile = fc.string({ unit: fc.constantFrom(..."ab \\`*_{}[]()<>#+-.!|~&;:/@\"'$^=") })
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string({ unit: "grapheme" })), (typed) => {
        const alt = typed.replaceAll(/\s+/g, " ").trim()
        const markdown = imageMarkdown(URL_OF_PICTURE, alt)
        const document = nativeOfMarkdown(`Before\n\n${markdown}\n`)
        const image = document.content?.[1]?.content?.[0]
        assert.strictEqual(image?.type, "image", markdown)
        assert.strictEqual(image?.attrs?.["src"], URL_OF_PICTURE)
        assert.strictEqual(image?.attrs?.["alt"] ?? "", alt)
        assert.deepStrictEqual(
          imagesIn(markdown).map(({ url }) => url),
          [URL_OF_PICTURE]
        )
      })
    )
  })

  it("A long text of beginnings is read in its length", () => {
    const millis = (length: number) => {
      const begun = performance.now()
      for (const beginning of ["![", "![a", "![\\", "![a]", "![a](", "![](<"])
        imagesIn(beginning.repeat(length / beginning.length))
      return performance.now() - begun
    }
    millis(40_000)
    // Ten times the text would take a hundred times as long if each beginning were read to the end.
    assert.isBelow(millis(400_000), 50 * millis(40_000) + 100)
  })
})
