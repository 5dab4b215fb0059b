import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type DefaultTreeAdapterTypes, parseFragment } from "parse5"
import { areFiles, markdownOf, type PastedNode } from "../../../../src/platform/pages/assets/pasting.js"
import { renderHtml } from "../../../../src/publishing/content/html/renderHtml.ts"
import { readMarkdown } from "../../../../src/publishing/content/reading/readMarkdown.ts"
import { soak } from "../../../support/soak.ts"

/** Returns a node as browsers have it. */
const nodeOf = (node: DefaultTreeAdapterTypes.Node): PastedNode => ({
  nodeName: node.nodeName,
  nodeValue: "value" in node ? node.value : null,
  childNodes: "childNodes" in node ? node.childNodes.map(nodeOf) : [],
  getAttribute: (name) =>
    "attrs" in node ? (node.attrs.find((it) => it.name === name)?.value ?? null) : null
})

/** Reads styles under the name that the page gives them. */
const pasted = (html: string) =>
  markdownOf(nodeOf(parseFragment(html.replaceAll(/ style=/g, " data-style="))))

/** HTML as browsers and programs put it on the clipboard, and the Markdown of it. */
const cases: ReadonlyArray<readonly [html: string, markdown: string | undefined, what: string]> = [
  ["<p>plain words</p><p>more</p>", undefined, "a text without any form"],
  ["<script>alert(1)</script><style>x{}</style>only", undefined, "a script"],
  [
    "<h2>Title</h2><p>One <b>bold</b> and <i>it</i>, a <a href='https://a.test/x_(y)'>link</a>.</p>",
    "## Title\n\nOne **bold** and *it*, a [link](https://a.test/x_%28y%29).",
    "a page"
  ],
  [
    "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul><ol start=3><li><p>x</p></li><li><p>y</p></li></ol>",
    "- a\n- b\n  - c\n\n3. x\n4. y",
    "lists within lists"
  ],
  [
    "<table><tr><th>a</th><th>b</th></tr><tr><td>1|2</td><td>x<br>y</td></tr></table>",
    "| a | b |\n| --- | --- |\n| 1\\|2 | x<br>y |",
    "a table"
  ],
  [
    `<b style="font-weight:normal" id="docs-internal-guid"><h1><span style="font-weight:400">Head</span></h1><p><span style="font-weight:400">One </span><span style="font-weight:700">two</span><span style="font-style:italic"> three</span></p><ul><li><p><span>item</span></p></li></ul></b>`,
    "# Head\n\nOne **two** *three*\n\n- item",
    "an online word processor, whose forms are styles"
  ],
  [
    "<p style='mso-list:l0 level1 lfo1'><span style='mso-list:Ignore'>·<span>&nbsp; </span></span>First</p><p style='mso-list:l0 level2 lfo1'><span><span style='mso-list:Ignore'>1.<span> </span></span></span>Second <b>b</b></p>",
    "- First\n   1. Second **b**",
    "a word processor, whose lists are paragraphs"
  ],
  ["日本<b>「重要」</b>です", "日本「**重要**」です", "bold words within a word"],
  [
    "<p>5 * 3 _x_ a_b</p><p># no</p><p>- no</p><b>1. x</b>",
    "5 \\* 3 \\_x\\_ a_b\n\n\\# no\n\n\\- no\n\n**1. x**",
    "words that look like marks"
  ],
  [
    "<pre><code>a\n  b</code></pre><blockquote><p>q</p><p>r</p></blockquote><hr>",
    "```\na\n  b\n```\n\n> q\n>\n> r\n\n---",
    "code, a quotation and a line"
  ],
  ["<div style='white-space: pre'><div><b>const</b></div></div>", undefined, "lines of an editor of code"],
  [
    "<a href='https://x.test'>c</a><a href='https://y.test'>d</a><a href='javascript:x'>e</a>",
    "[c](https://x.test/)[d](https://y.test/)e",
    "links, of which one leads nowhere"
  ],
  [
    "x <img src='https://a.test/i.png' alt='An image'>",
    "x\n\n![An image](https://a.test/i.png)",
    "a picture"
  ],
  ["<p><strong>a </strong>b<strong> c</strong></p>", "**a** b **c**", "spaces within bold words"]
]

describe("HTML that is pasted", () => {
  for (const [html, markdown, what] of cases)
    it(`The Markdown of ${what} has its forms`, () => {
      assert.strictEqual(pasted(html), markdown)
    })

  it("Any HTML becomes Markdown that the service accepts and that shows its words", () => {
    const words = fc.constantFrom(..."word 「重要」 שלום 5*3 a_b C++ # > - 1. | &amp; [x] `".split(" "))
    const html = fc.letrec<{ inline: string; block: string }>((tie) => ({
      inline: fc.oneof(
        { maxDepth: 3 },
        words,
        fc
          .tuple(
            fc.constantFrom("b", "i", "u", "s", "span", "a href=https://a.test/"),
            tie("inline"),
            tie("inline")
          )
          .map(([name, one, two]) => `<${name}>${one}${two}</${name.split(" ")[0]}>`)
      ),
      block: fc.oneof(
        { maxDepth: 3 },
        tie("inline"),
        fc
          .tuple(fc.constantFrom("p", "div", "h2", "blockquote", "ul><li", "ol><li"), tie("block"))
          .map(([name, it]) => `<${name}>${it}</${name.split("><").toReversed().join("></")}>`)
      )
    }))
    const textOf = (markup: string) =>
      markup
        .replaceAll(/<[^>]*>/g, "")
        .replaceAll("&amp;", "&")
        .replaceAll("&#x26;", "&")
        .replaceAll(/\s+/g, "")
    fc.assert(
      fc.property(fc.array(html.block, { minLength: 1, maxLength: 4 }), (blocks) => {
        const source = blocks.map((it) => `<div>${it}</div>`).join("")
        const markdown = pasted(source)
        fc.pre(markdown !== undefined)
        assert.deepStrictEqual(readMarkdown(markdown ?? "").unsupported, [], markdown)
        assert.strictEqual(textOf(renderHtml(markdown ?? "")), textOf(source), markdown)
      }),
      { numRuns: soak(300, 5_000) }
    )
  })

  it("HTML of any size is Markdown in a moment, if need be without its marks", () => {
    const many = (count: number, html: string) => html.repeat(count)
    const sources = {
      links: `<p>${many(2_000, "<a href=https://a.test/>a</a> b ")}</p>`,
      "links in paragraphs": many(500, `<p>${many(40, "<a href=https://a.test/>a</a> b ")}</p>`),
      "bold words": `<b>${many(20_000, "a <i>b</i> ")}</b>`,
      "a long word": `<p>${"a".repeat(20_000)} ${many(100, "<b>b</b> c ")}</p>`,
      code: `<code>${"*_a ".repeat(30_000)}</code>`,
      backticks: `<h2>a</h2><pre>${"`".repeat(300_000)}</pre>`,
      signs: `<h2>${"#".repeat(300_000)} a</h2>`,
      cells: `<table><tr>${many(3_000, "<td>a")}${many(3_000, "<tr><td>a")}</table>`,
      rows: `<h2>a</h2><table>${many(130_000, "<tr><td>a")}</table>`,
      spans: `<p>${many(400, "<span>")}${many(5_000, "<span>a</span><span><img src=https://a.test/i></span>")}`
    }
    for (const [what, html] of Object.entries(sources)) {
      const body = nodeOf(parseFragment(html))
      const start = performance.now()
      markdownOf(body)
      assert.isBelow(performance.now() - start, 8_000, what)
    }
  }, 60_000)

  it("A line of too many links keeps its words, and the next one its marks", () => {
    const links = "<a href=https://a.test/>a*</a> b ".repeat(5_000)
    const markdown = pasted(`<p>${links}</p><p>one <b>two</b></p>`) ?? ""
    assert.strictEqual(markdown, `${"a\\* b ".repeat(5_000).trim()}\n\none **two**`)
  })

  it("The names that a file manager adds are no text", () => {
    assert.isTrue(areFiles("", ["image.png"]))
    assert.isTrue(areFiles("photo.png", ["photo.png"]))
    assert.isTrue(areFiles("/home/mara/photo.png\n", ["photo.png"]))
    assert.isTrue(areFiles("file:///home/mara/a%20b.png\nfile:///c.png", ["a b.png", "c.png"]))
    assert.isFalse(areFiles("A text of a word processor", ["image.png"]))
    assert.isFalse(areFiles("photo.png", []))
  })
})
