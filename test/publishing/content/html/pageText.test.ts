import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { parseFragment } from "parse5"
import { makeHighlight } from "../../../../layers/threads/highlighting.ts"
import { pageText } from "../../../../src/publishing/content/html/pageText.ts"
import { soak } from "../../../support/soak.ts"

/** Colours that no slow machine leaves out. */
const highlight = makeHighlight({ blockMillis: 60_000, textMillis: 600_000 })

const textOf = (source: string) => pageText(source, highlight).html

describe("the text of a Post on its page", () => {
  it("Headings begin below the title, keep their order, and link to themselves", () => {
    assert.strictEqual(
      textOf("# Über *Pennies*\n\n## Two\n\n#### Two"),
      '<h2 id="h-über-pennies"><a href="#h-über-pennies">Über <em>Pennies</em></a></h2>\n' +
        '<h3 id="h-two"><a href="#h-two">Two</a></h3>\n<h5 id="h-two-2"><a href="#h-two-2">Two</a></h5>'
    )
    assert.strictEqual(textOf("#### Four"), '<h2 id="h-four"><a href="#h-four">Four</a></h2>')
    assert.strictEqual(
      textOf("# [a](https://x.test)"),
      '<h2 id="h-a"><a href="https://x.test" rel="nofollow ugc noopener">a</a></h2>'
    )
    assert.include(textOf("# ***\n\n# !"), 'id="h-part"')
  })

  it("The ids of headings are always different", () => {
    const headings = fc.array(fc.constantFrom("a", "a 2", "a-2", "A", "a-2-2", "!", "part", "ä"), {
      maxLength: 12
    })
    fc.assert(
      fc.property(headings, (words) => {
        const ids = [
          ...textOf(words.map((word) => `## ${word}`).join("\n\n")).matchAll(/ id="([^"]+)"/g)
        ].map(([, id]) => id)
        assert.strictEqual(new Set(ids).size, words.length)
      }),
      { numRuns: soak(50, 1_000) }
    )
  })

  it("Code has colours of five kinds, and unknown languages have none", () => {
    assert.strictEqual(
      textOf('```ts\nconst a = "x" // y\n```'),
      '<pre tabindex="0"><code><span class="k">const</span> a = <span class="s">"x"</span> <span class="c">// y</span>\n</code></pre>'
    )
    for (const language of ["", "nonsense", "__proto__", "constructor"])
      assert.strictEqual(
        textOf(`\`\`\`${language}\n<a> & b\n\`\`\``),
        '<pre tabindex="0"><code>&#x3C;a> &#x26; b\n</code></pre>'
      )
    assert.notInclude(textOf(`\`\`\`ts\n${"const a\n".repeat(3_000)}\`\`\``), "span")
  })

  it("A table scrolls with the keyboard, and its cells have classes", () => {
    const text = textOf("| a | b |\n| :-: | --: |\n| 1 | 2 |")
    assert.include(text, '<section class="scroll" aria-label="Table" tabindex="0"><table>')
    assert.include(text, '<th class="a-center">a</th>')
    assert.include(text, '<td class="a-right">2</td>')
    assert.notInclude(text, "align=")
  })

  it("All images but the first wait until they are near", () => {
    const images = [
      ...textOf("![a](https://x.test/1.png) ![b](https://x.test/2.png)").matchAll(/<img[^>]*>/g)
    ].map(String)
    assert.deepStrictEqual(images, [
      '<img src="https://x.test/1.png" alt="a">',
      '<img src="https://x.test/2.png" alt="b" loading="lazy" decoding="async">'
    ])
  })

  it("A page text names its headings as a reader sees them, and no more than a page can show", () => {
    const headingsOf = (source: string) => pageText(source, highlight).headings
    assert.deepStrictEqual(headingsOf("# A *b* <c>\n\n### `D` [e](https://e.test)\n\n# \n\n# A *b* <c>"), [
      { level: 2, id: "h-a-b-c", text: "A b <c>" },
      { level: 4, id: "h-d-e", text: "D e" },
      { level: 2, id: "h-a-b-c-2", text: "A b <c>" }
    ])
    const many = headingsOf(`# ${"x".repeat(500)}\n\n`.repeat(300))
    assert.lengthOf(many, 100)
    assert.strictEqual(many[0]?.text.length, 200)
  })

  it("A page text has only the allowed elements and attributes, for any source", () => {
    const ALLOWED =
      /^(p|h[2-6]|blockquote|ul|ol|li|pre|code|hr|br|img|table|thead|tbody|tr|th|td|a|strong|em|del|u|span|section|sup|figure|figcaption)$/
    const ATTRIBUTES = /^(href|title|rel|src|alt|start|class|id|role|tabindex|aria-label|loading|decoding)$/
    const part = fc.oneof(
      fc.constantFrom(
        "# ",
        "\n\n",
        "```js\n",
        "```\n",
        "<b onclick=x>",
        "![",
        "](javascript:x)",
        "[a](",
        "|a|\n|-|\n",
        "`",
        "*",
        "> ",
        "- ",
        "[^a]",
        "\n\n[^a]: ",
        '](https://a.test "t")',
        "https://a.test",
        "class=x",
        "hljs"
      ),
      fc.string({ maxLength: 6 })
    )
    const check = (node: any) => {
      if (node.tagName !== undefined) {
        assert.match(node.tagName, ALLOWED)
        for (const { name, value } of node.attrs) {
          assert.match(name, ATTRIBUTES)
          if (name === "href") assert.match(value, /^(?:(?:https?|mailto|tel|nano):|(?![a-z][a-z0-9+.-]*:))/i)
        }
      }
      for (const child of node.childNodes ?? []) check(child)
    }
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => check(parseFragment(textOf(parts.join(""))))),
      { numRuns: soak(150, 5_000) }
    )
  })
})
