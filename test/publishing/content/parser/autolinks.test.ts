import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Nodes } from "mdast"
import { inOneColour, pageText } from "../../../../src/publishing/content/html/pageText.ts"
import { markdownOf } from "../../../../src/publishing/content/parser/toMarkdown.ts"
import { readMarkdown } from "../../../../src/publishing/content/reading/readMarkdown.ts"
import { markdownWithoutUrls } from "../../../../src/publishing/content/removal/markdownWithoutUrls.ts"
import { soak } from "../../../support/soak.ts"
import { rootOf } from "../rendering.ts"

const linksIn = (node: Nodes): ReadonlyArray<string> => [
  ...(node.type === "link" ? [node.url] : []),
  ...("children" in node ? node.children.flatMap(linksIn) : [])
]

const textIn = (node: Nodes): string =>
  node.type === "text" || node.type === "inlineCode"
    ? node.value
    : "children" in node
      ? node.children.map(textIn).join("")
      : ""

const A = "https://a.test"

/** Texts with the addresses that they link to. */
const texts: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  [A, [A]],
  ["See https://a.test/b?c=d&e=f#g, then.", [`${A}/b?c=d&e=f#g`]],
  ["http://a.test HTTPS://A.test/B", ["http://a.test", "HTTPS://A.test/B"]],
  // Trailing punctuation
  ["https://a.test/b?! https://a.test/b... https://a.test/b;", [`${A}/b`, `${A}/b`, `${A}/b`]],
  ["“https://a.test/b'\" https://a.test/b:", [`${A}/b`, `${A}/b`]],
  [
    "**https://a.test/b** ~~https://a.test/c~~ ++https://a.test/d++ _https://a.test/e_",
    ["b", "c", "d", "e"].map((it) => `${A}/${it}`)
  ],
  // Parentheses
  ["(https://a.test/b) (see https://a.test/c_(d)) https://a.test/e)f)", [`${A}/b`, `${A}/c_(d)`, `${A}/e)f`]],
  ["https://a.test/(((b)c", [`${A}/(((b)c`]],
  // Endings that look like entities
  [
    "https://a.test/?b&copy; https://a.test/?b&hl;&c; https://a.test/?b&; https://a.test/?b&c",
    [`${A}/?b`, `${A}/?b`, `${A}/?b&`, `${A}/?b&c`]
  ],
  // Marks within an address are part of it.
  ["https://a.test/b_c_d/*e*/`f`", [`${A}/b_c_d/*e*/\`f\``]],
  ["https://a.test/b<c>", [`${A}/b`]],
  // Hosts
  ["https://localhost https://a_b.test https://a.b_c https:// https://. https://-", []],
  [
    "https://a_b.c.test https://bücher.test/ü 語https://語.test",
    ["https://a_b.c.test", "https://bücher.test/ü", "https://語.test"]
  ],
  [
    "https://a.test。次 https://a.test@b.test https://a.test&gt; https://a.test:80/b",
    [A, A, A, "https://a.test:80/b"]
  ],
  // Places that are not addresses
  ["xhttps://a.test ftp://a.test www.a.test a@b.test https:/a.test https\\://a.test", []],
  ["`https://a.test`\n\n    https://a.test\n\n```\nhttps://a.test\n```", []],
  ["<https://a.test>", [A]],
  // Links and images
  [
    "[https://a.test](https://b.test) [see https://a.test/b](https://b.test)",
    ["https://b.test", "https://b.test"]
  ],
  ["![https://a.test](https://b.test)", []],
  ["[https://a.test][r] [r https://a.test]\n\n[r]: https://b.test", [A]],
  ["[see https://a.test/b] and [1] https://a.test/c[d]", [`${A}/b`, `${A}/c[d]`]],
  // Blocks
  ["# https://a.test #\n\n> - https://a.test/b", [A, `${A}/b`]],
  ["|a|\n|-|\n|https://a.test/b|", [`${A}/b`]],
  ["a[^1]\n\n[^1]: https://a.test", [A]],
  ["https://a.test/b\nhttps://a.test/c\\\nhttps://a.test/d", ["b", "c\\", "d"].map((it) => `${A}/${it}`)]
]

describe("bare addresses", () => {
  for (const [source, links] of texts) {
    it(`The text ${JSON.stringify(source)} links to ${links.length === 0 ? "nothing" : links.join(" and ")}`, () => {
      assert.deepStrictEqual(linksIn(rootOf(source)), links)
      const { isTooComplex, unsupported } = readMarkdown(source)
      assert.deepStrictEqual([isTooComplex, unsupported], [false, []])
    })
  }

  it("The words of a text stay as they are, whichever of its addresses become links", () => {
    const pieces = [
      A,
      "https://",
      "http://a.test/b",
      "h",
      " ",
      "\n",
      "(",
      ")",
      ".",
      ",",
      ";",
      "&zz",
      "a",
      "語",
      "|",
      "?",
      "[",
      "]",
      "/"
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 20 }), (them) => {
        const source = `a${them.join("").replaceAll("[", "\\[").replaceAll("]", "\\]").replaceAll(/\n\s*/g, "\n")}`
        const shown = rootOf(source).children.map(textIn).join("\n\n")
        assert.strictEqual(shown.replaceAll(/[\\\s]/g, ""), source.replaceAll(/[\\\s]/g, ""))
        // Written again, the text has the same links.
        const again = rootOf(markdownOf(rootOf(source)))
        assert.deepStrictEqual(linksIn(again), linksIn(rootOf(source)))
      }),
      { numRuns: soak(300, 10_000) }
    )
  })

  it("The text of a link has no links within it, and its marks mean what they meant", () => {
    const html = (source: string) => pageText(source, inOneColour).html
    assert.strictEqual(
      html("[https://a.test/b\\_c&amp;d e](https://b.test)"),
      '<p><a href="https://b.test" rel="nofollow ugc noopener">https://a.test/b_c&#x26;d e</a></p>'
    )
    assert.include(html("![https://a.test/b\\_c](https://b.test)"), 'alt="https://a.test/b_c"')
  })

  it("An address goes with its text when it is removed", () => {
    const removed = (source: string) => markdownWithoutUrls(source, [`${A}/b.png`])
    assert.strictEqual(removed("One https://a.test/b.png two"), "One  two")
    assert.strictEqual(removed("https://a.test/b.png\n\nTwo"), "Two")
    assert.strictEqual(removed("https://a.test/b.png.jpg"), "https://a.test/b.png.jpg")
    assert.strictEqual(removed("a[^1]\n\n[^1]: ![b](https://a.test/b.png)").includes("b.png"), false)
  })
})
