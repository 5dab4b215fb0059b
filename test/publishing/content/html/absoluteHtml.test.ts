import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type DefaultTreeAdapterTypes, parseFragment } from "parse5"
import { absoluteHtml, feedHtml } from "../../../../src/publishing/content/html/absoluteHtml.ts"
import { pageText } from "../../../../src/publishing/content/html/pageText.ts"
import { renderHtml } from "../../../../src/publishing/content/html/renderHtml.ts"
import { soak } from "../../../support/soak.ts"
import { hostileUrls } from "./hostileHtml.ts"

const URL_OF_POST = "https://press.test/@mara/nine-degrees"

const saved = (source: string) => pageText(source, () => undefined).html
const onPage = (source: string) => pageText(source, () => undefined, { url: URL_OF_POST }).html

/** Returns the HTML of a text in a feed with the levels of headings, and without languages, as saved HTML has it. */
const inFeed = (source: string) =>
  renderHtml(source, URL_OF_POST)
    .replaceAll(/<(\/?)h[1-6]>/g, "<$1h2>")
    .replaceAll(/<code class="[^"]*">/g, "<code>")

const fed = (source: string) => feedHtml(saved(source), URL_OF_POST).replaceAll(/<(\/?)h[1-6]>/g, "<$1h2>")

/** Returns the names of all elements of a page, and of their attributes. */
const namesIn = (html: string) => {
  const names = new Set<string>()
  const walk = (node: DefaultTreeAdapterTypes.ChildNode | DefaultTreeAdapterTypes.DocumentFragment) => {
    if ("tagName" in node) for (const { name } of [...node.attrs, { name: node.tagName }]) names.add(name)
    if ("childNodes" in node) node.childNodes.forEach(walk)
  }
  walk(parseFragment(html))
  return [...names].toSorted()
}

const INJECTED = "\\>\\<meta http-equiv=refresh content=0\\>\\<script src=//e.test/x.js\\>\\</script\\>"

describe("saved HTML elsewhere", () => {
  it("Words in a description or title that look like the beginning of a tag stay words", () => {
    for (const begun of [
      "img src=",
      "a href=",
      "h2 id=",
      "sup id=",
      "li id=",
      "span ",
      "section class=notes"
    ])
      for (const text of [
        `![\\<${begun}](/404.png)\n\na "> b" onerror=alert(1) c="\n\n![x${INJECTED}](/y/a=)`,
        `![a](/404.png "\\<${begun}")\n\n/../../media/x?\n\n![x${INJECTED}](/y/a= "d ${INJECTED}")`,
        `[a](/b "\\<${begun}")\n\n## "> b" onerror=alert(1)\n\n[c](/d "${INJECTED}")[^1]\n\n[^1]: e`
      ]) {
        const html = saved(text)
        for (const other of [html, absoluteHtml(html, URL_OF_POST), feedHtml(html, URL_OF_POST)]) {
          const names = namesIn(other)
          for (const name of ["meta", "script", "http-equiv", "onerror", "content"])
            assert.notInclude(names, name, other)
        }
      }
  })

  it("A relative link stays relative on the page, and leads on from the Post elsewhere", () => {
    const rel = 'rel="nofollow ugc noopener"'
    for (const [written, kept, address] of [
      ["other", "other", "https://press.test/@mara/other"],
      [
        "../@bea/hers?a=1&b=2#end",
        "../@bea/hers?a=1&#x26;b=2#end",
        "https://press.test/@bea/hers?a=1&#x26;b=2#end"
      ],
      ["/about", "/about", "https://press.test/about"],
      ["?q=a", "?q=a", "https://press.test/@mara/nine-degrees?q=a"],
      ["#none", "#none", "https://press.test/@mara/nine-degrees#none"],
      ["1:2", "./1:2", "https://press.test/@mara/1:2"],
      ["//example.org/a", "https://example.org/a", "https://example.org/a"],
      ["mailto:a@b.test", "mailto:a@b.test", "mailto:a@b.test"]
    ] as const) {
      assert.strictEqual(saved(`[x](${written})`), `<p><a href="${kept}" ${rel}>x</a></p>`)
      assert.strictEqual(
        absoluteHtml(saved(`[x](${written})`), URL_OF_POST),
        `<p><a href="${address}" ${rel}>x</a></p>`
      )
      assert.strictEqual(fed(`[x](${written})`), `<p><a href="${address}" ${rel}>x</a></p>`)
    }
    assert.strictEqual(saved("![x](a/b.png)"), '<p><img src="a/b.png" alt="x"></p>')
    assert.strictEqual(fed("![x](a/b.png)"), '<p><img src="https://press.test/@mara/a/b.png" alt="x"></p>')
  })

  it("Words that look like HTML stay as they are", () => {
    for (const source of ['`<a href="b">`', 'a href="b" <img src="c">', '<span>a</span> <h2 id="x">'])
      assert.strictEqual(fed(source), inFeed(source))
  })

  const part = fc.oneof(
    fc.constantFrom(
      ..."# |## |\n\n|> |- |*|**|`|```ts\nconst a = 1\n```\n\n|[|](|)|![|](#a)|](#h-a)|\n| a | b |\n| :-: | --: |\n| 1 | 2 |\n\n".split(
        "|"
      ),
      "\n\n| a | b |\n| :-: | --: |\n| 1 | 2 |\n\n",
      "[x](#a) ",
      "[a](#h-a)",
      "[y](b?c&d) ",
      "![i](j.png) ",
      '"',
      "<",
      "&amp;"
    ),
    fc.constantFrom(...hostileUrls).map((url) => `[u](<${url}>)`),
    fc.string({ maxLength: 5 })
  )
  const source = fc.array(part, { maxLength: 14 }).map((parts) => parts.join(""))

  it("Any text leads from its saved HTML to where it leads from its Markdown", () => {
    fc.assert(
      fc.property(source, (it) => {
        // The address of the page itself has no other form than the address of the Post.
        const page = (html: string) => html.replaceAll(`href="${URL_OF_POST}#h-`, 'href="#h-')
        assert.strictEqual(page(absoluteHtml(saved(it), URL_OF_POST)), page(onPage(it)))
        assert.strictEqual(fed(it), inFeed(it))
      }),
      { numRuns: soak(300, 20_000) }
    )
  })

  it("A long text takes linear time", () => {
    for (const unit of ["# [x](#x-y) y\n\n", "# x\n\n", "![a](b) ", "`a` ", "[a](#h-b) "]) {
      const html = saved(unit.repeat(2_000))
      const before = process.threadCpuUsage().user
      feedHtml(html, URL_OF_POST)
      assert.isBelow((process.threadCpuUsage().user - before) / 1_000, 500, unit)
    }
  })
})
