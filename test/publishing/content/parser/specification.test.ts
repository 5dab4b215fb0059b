import { createRequire } from "node:module"
import { assert, describe, it } from "@effect/vitest"
import { toHtml } from "hast-util-to-html"
import type { Nodes, Root } from "mdast"
import { fromMarkdown } from "mdast-util-from-markdown"
import { gfmStrikethroughFromMarkdown } from "mdast-util-gfm-strikethrough"
import { gfmTableFromMarkdown } from "mdast-util-gfm-table"
import { toHast } from "mdast-util-to-hast"
import { gfmStrikethrough } from "micromark-extension-gfm-strikethrough"
import { gfmTable } from "micromark-extension-gfm-table"
import { hastOf, htmlOf } from "../../../../src/publishing/content/html/safeHtml.ts"
import { readMarkdown } from "../../../../src/publishing/content/reading/readMarkdown.ts"
import { type HtmlTree, joined, rootOf, treeOf } from "../rendering.ts"
import { type Example, gfmExamples, gfmRefused } from "./gfmExamples.ts"

const require = createRequire(import.meta.url)
const { tests } = require("commonmark-spec") as { readonly tests: Array<Example> }

/** The specification shows tabs as arrows. */
const withTabs = (text: string) => text.replaceAll("→", "\t")

/** Parses with the stock parser. */
const stockRootOf = (source: string): Root =>
  fromMarkdown(source, {
    extensions: [gfmTable(), gfmStrikethrough()],
    mdastExtensions: [gfmTableFromMarkdown(), gfmStrikethroughFromMarkdown()]
  })

const stockHtmlOf = (source: string) =>
  toHtml(toHast(stockRootOf(source), { allowDangerousHtml: true }), { allowDangerousHtml: true })

const hasHtml = (node: Nodes): boolean =>
  node.type === "html"
    ? !/^<br\s*\/?>$/i.test(node.value)
    : "children" in node && node.children.some((child) => hasHtml(child))

const schemeOf = (url: string | undefined) => /^([^/?#]*?):/.exec(url ?? "")?.[1]?.toLowerCase() ?? "none"

/** Restricts a rendering to links and images on the web. */
const restricted = (trees: ReadonlyArray<HtmlTree>): ReadonlyArray<HtmlTree> =>
  joined(
    trees.flatMap((tree): ReadonlyArray<HtmlTree> => {
      if (typeof tree === "string") return [tree]
      const { attributes, name } = tree
      const children = restricted(tree.children)
      if (name === "img" && !["http", "https"].includes(schemeOf(attributes["src"])))
        return [attributes["alt"] ?? ""]
      if (name !== "a") return [{ ...tree, children }]
      const scheme = schemeOf(attributes["href"])
      if (!["http", "https", "mailto"].includes(scheme)) return children
      const href = scheme + (attributes["href"] ?? "").slice(scheme.length)
      return [{ ...tree, attributes: { ...attributes, href, rel: "nofollow ugc noopener" }, children }]
    })
  )

/** Here, tag-like text without an HTML element is text (spec 2.7); Markdown continues within and after it. */
const deviations: Readonly<Record<number, { readonly reason: string; readonly html: string }>> = {
  201: { reason: "HTML has no element bar", html: "<p>[foo]: &lt;bar&gt;(baz)</p>\n<p>[foo]</p>" },
  491: { reason: "HTML has no element foo", html: "<p>[link](&lt;foo\nbar&gt;)</p>" }
}

/** Bare addresses, which are links as in GFM. */
const addresses: ReadonlySet<number> = new Set([602, 608, 611])

/** Text that browsers read as a tag with attributes, although CommonMark does not. */
const looseTags: ReadonlySet<number> = new Set([619, 620, 621, 622, 624, 632])

const featuresOf = (source: string) => {
  const { isTooComplex, unsupported } = readMarkdown(source)
  assert.isFalse(isTooComplex)
  return [...new Set(unsupported.map(({ feature }) => feature))]
}

const assertRendered = (markdown: string, html: string) => {
  const root = rootOf(markdown)
  assert.deepStrictEqual(treeOf(toHtml(hastOf(root))), treeOf(html))
  assert.deepStrictEqual(treeOf(htmlOf(root)), restricted(treeOf(html)))
}

/** Counts the examples by treatment and logs the counts. */
const makeCounts = (specification: string) => {
  const counts = { accepted: 0, refused: 0, deviating: 0 }
  return {
    add: (treatment: keyof typeof counts) => counts[treatment]++,
    said: () => {
      console.log(`${specification}: ${JSON.stringify(counts)}`)
      return counts
    }
  }
}

describe("the examples of CommonMark 0.31.2", () => {
  const { add, said } = makeCounts("CommonMark 0.31.2")

  for (const example of tests) {
    const { number, section } = example
    const html = withTabs(example.html)
    const markdown = withTabs(example.markdown)
    it(`Example ${number} (${section}) is read or refused as expected`, () => {
      const deviation = deviations[number]
      if (deviation !== undefined) {
        add("deviating")
        assert.isTrue(hasHtml(stockRootOf(markdown)))
        assert.deepStrictEqual(featuresOf(markdown), [], deviation.reason)
        assert.notDeepEqual(treeOf(html), treeOf(deviation.html))
        assertRendered(markdown, deviation.html)
      } else if (hasHtml(stockRootOf(markdown))) {
        add("refused")
        assert.deepStrictEqual(featuresOf(markdown), ["html"])
        assert.isFalse(looseTags.has(number))
        // The reference contains that HTML; it is the only difference.
        assert.deepStrictEqual(treeOf(stockHtmlOf(markdown)), treeOf(html))
        assert.notDeepEqual(treeOf(toHtml(hastOf(rootOf(markdown)))), treeOf(html))
      } else if (looseTags.has(number)) {
        add("refused")
        assert.deepStrictEqual(featuresOf(markdown), ["html"])
      } else if (addresses.has(number)) {
        add("deviating")
        assert.deepStrictEqual(featuresOf(markdown), [])
        const linked = html.replace(
          /https:\/\/[a-z./]*[a-z]/,
          '<a href="$&" rel="nofollow ugc noopener">$&</a>'
        )
        assert.deepStrictEqual(treeOf(htmlOf(rootOf(markdown))), treeOf(linked))
      } else {
        add("accepted")
        assert.deepStrictEqual(featuresOf(markdown), [])
        assertRendered(markdown, html)
      }
    })
  }

  it("The tests cover all examples of CommonMark", () => {
    assert.strictEqual(tests.length, 652)
    assert.deepStrictEqual(said(), { accepted: 571, refused: 76, deviating: 5 })
  })
})

describe("the examples of GitHub Flavored Markdown 0.29", () => {
  const { add, said } = makeCounts("GitHub Flavored Markdown 0.29")

  for (const { html, markdown, number, section } of gfmExamples) {
    it(`Example ${number} (${section}) is read or refused as expected`, () => {
      assert.deepStrictEqual(treeOf(stockHtmlOf(markdown)), treeOf(html))
      if (number === 204) {
        add("refused")
        assert.deepStrictEqual(featuresOf(markdown), ["table_row_too_long"])
      } else if (number === 491) {
        add("deviating")
        assert.deepStrictEqual(featuresOf(markdown), [])
        // A single tilde is the sign of a range.
        assertRendered(markdown, html.replace("<del>there</del>", "~there~"))
      } else {
        add("accepted")
        assert.deepStrictEqual(featuresOf(markdown), [])
        assertRendered(markdown, html)
      }
    })
  }

  for (const { markdown, number, section } of gfmRefused) {
    it(`Example ${number} (${section}) is refused`, () => {
      add("refused")
      assert.deepStrictEqual(featuresOf(markdown), [section.startsWith("Task") ? "task_list" : "html"])
    })
  }

  it("The tests cover all of tables, strikethrough, task lists and disallowed HTML", () => {
    assert.deepStrictEqual(said(), { accepted: 9, refused: 4, deviating: 1 })
  })
})
