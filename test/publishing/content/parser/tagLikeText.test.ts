import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Nodes } from "mdast"
import { fromMarkdown } from "mdast-util-from-markdown"
import { readMarkdown } from "../../../../src/publishing/content/reading/readMarkdown.ts"
import { soak } from "../../../support/soak.ts"

const pieces =
  "< <x <X <img <my-tag </x </my-tag > /> = onclick=a() 'a' \" ' hidden : / ` ** \\ a b &lt;".split(" ")

const source = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.constantFrom(" ", "\n", "\n\n", "> ", "- ")), {
    maxLength: 14
  })
  .map((them) => them.join(""))

/** Returns the HTML that the stock parser passes through. */
const htmlIn = (node: Nodes): ReadonlyArray<string> =>
  node.type === "html" ? [node.value] : "children" in node ? node.children.flatMap(htmlIn) : []

/** Returns the text that a renderer would pass through without escapes. */
const textsIn = (node: Nodes): ReadonlyArray<string> =>
  node.type === "text" ? [node.value] : "children" in node ? node.children.flatMap(textsIn) : []

const TEXTS = soak(1_000, 10_000)

describe("an accepted section", () => {
  it("An accepted section has no tag with an attribute value and no closed element", () => {
    fc.assert(
      fc.property(source, (text) => {
        const { isTooComplex, unsupported } = readMarkdown(text)
        fc.pre(!isTooComplex && unsupported.length === 0)
        const tree = fromMarkdown(text)
        const html = htmlIn(tree)
        for (const tag of html) {
          assert.notMatch(tag, /<[a-z][^>]*=[^>]*>/i, text)
          assert.notMatch(tag, /<\/[a-z-]+\s*>/i, text)
          assert.notMatch(tag, /^<(img[\s/>]|[a-z]+-[a-z-]*\s+[^>\s])/i, text)
        }
        // A renderer that passes text through makes no tag with a value within one text either.
        const isEscaped = text.includes("\\") || text.includes("&lt;") || text.includes("`")
        if (!isEscaped) for (const it of textsIn(tree)) assert.notMatch(it, /<[a-z][^>\n]*=[^>\n]*>/i, text)
      }),
      { numRuns: TEXTS, seed: 20_261_122 }
    )
  })
})
