import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Nodes } from "mdast"
import { readNative } from "../../../../src/publishing/content/native/readNative.ts"
import {
  markdownWithoutUrls,
  withoutUrlsQuickly
} from "../../../../src/publishing/content/removal/markdownWithoutUrls.ts"
import { soak } from "../../../support/soak.ts"
import { nativeDocument } from "../native/nativeDocuments.ts"
import { rootOf } from "../rendering.ts"
import { imagesIn, nodesIn, referencesTo, urlsIn } from "./urlReferences.ts"

const url = "u"

const markdownWithoutUrl = (source: string, one: string) => markdownWithoutUrls(source, [one])

/** Returns the nodes of a tree in order, without text, marks and nodes that a removal takes. */
const leavesOf = (source: string) =>
  nodesIn(rootOf(source)).flatMap((node) => {
    switch (node.type) {
      case "image":
      case "definition":
        return node.url === url ? [] : [`${node.type} ${node.url}`]
      case "code":
      case "inlineCode":
      case "html":
        return [`${node.type} ${node.value}`]
      case "table":
      case "blockquote":
      case "list":
      case "listItem":
      case "tableCell":
        return [node.type]
      default:
        return []
    }
  })

/** The words of each block, with nothing for images. */
const wordsIn = (source: string) => {
  const textOf = (node: Nodes): string => {
    if (node.type === "break") return " "
    if ("children" in node) return node.children.map(textOf).join("")
    return "value" in node ? node.value : ""
  }
  return nodesIn(rootOf(source)).flatMap((node) => {
    const isLine = node.type === "paragraph" || node.type === "heading" || node.type === "tableCell"
    const words = isLine ? textOf(node).replaceAll("\u200B", "").split(/\s+/u).filter(Boolean) : []
    return words.length === 0 ? [] : [words]
  })
}

const pieces = [
  ..."a b wörd 語 1. - # > * ** _ ~~ ++ ` \\ & ! [ ] ( ) | : &amp; <br> <b>".split(" "),
  ..."![a](u) ![a](u) ![](u) ![a](<u>) ![a](u) [b](u) [b](u) <http://u> [![a](u)](x) [![a](x)](u) ![r] ![a][r] [r] [b][r] ![a](x) (u) (x)".split(
    " "
  ),
  " ",
  " ",
  "  ",
  ..."\n;\n;\n\n;\n\n;\n> ;\n- ;\n  ;\n    ;\n\n    ;\n1. ;\n# ;\n---;\n===;\n```\n;\n[r]: u;\n[r]: <u> 'a'\n;\n[q]: u\n;\n[r]: x\n;\n| a | b |\n| - | - |\n;\r\n;  \n;\\\n".split(
    ";"
  )
]

const anything = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((them) => them.join(""))

describe("Markdown without a URL", () => {
  it("A removal leaves no image, link or definition of the URL", () => {
    fc.assert(
      fc.property(anything, fc.constantFrom("u", "http://u", "x"), (source, url) => {
        const result = markdownWithoutUrl(source, url)
        assert.strictEqual(referencesTo(result, url), 0, result)
      }),
      { numRuns: soak(150, 1_500) }
    )
  })

  it("A text without an image, link or definition of the URL stays the same to the byte", () => {
    fc.assert(
      fc.property(anything, fc.constantFrom("u", "y", "r", "a", "http://u"), (source, url) => {
        fc.pre(referencesTo(source, url) === 0)
        assert.strictEqual(markdownWithoutUrl(source, url), source)
      }),
      { numRuns: soak(100, 1_000) }
    )
  })

  it("A second removal changes nothing", () => {
    fc.assert(
      fc.property(anything, (source) => {
        const result = markdownWithoutUrl(source, url)
        assert.strictEqual(markdownWithoutUrl(result, url), result)
      }),
      { numRuns: soak(100, 1_000) }
    )
  })

  it("A removal keeps all blocks, words, code and other images, in their order", () => {
    fc.assert(
      fc.property(anything, (source) => {
        // The removal of a definition may change the kind of its neighbours.
        fc.pre(!source.includes("]: "))
        const result = markdownWithoutUrl(source, url)
        assert.deepStrictEqual(leavesOf(result), leavesOf(source), result)
        assert.deepStrictEqual(wordsIn(result), wordsIn(source), result)
      }),
      { numRuns: soak(150, 300), seed: 20_261_122 }
    )
  })

  it("A removal leaves no reference where rich editors wrote many", () => {
    fc.assert(
      fc.property(nativeDocument, fc.nat(), (document, n) => {
        const urls = urlsIn(document)
        fc.pre(urls.length > 0)
        const url = urls[n % urls.length] ?? ""
        const { markdown } = readNative(document)
        const result = markdownWithoutUrl(markdown, url)
        assert.strictEqual(referencesTo(result, url), 0, result)
        const others = imagesIn(markdown).filter((it) => it !== url)
        assert.deepStrictEqual(imagesIn(result), others, result)
      }),
      { numRuns: soak(40, 500) }
    )
  })

  const removals: ReadonlyArray<readonly [source: string, result: string, why: string]> = [
    ["a ![x](u) b", "a  b", "an image in a line goes, and the rest stays byte for byte"],
    ["a\n\n![x](u)\n\nb\n", "a\n\nb\n", "a paragraph of an image goes with its blank line"],
    ["a\n\n![x](u)\n", "a\n", "the last paragraph goes with the line before it"],
    ["a\n![x](u)\nb", "a\nb", "a line of an image goes, and its paragraph stays one"],
    ["![x](u)\nb", "b", "so does the first line of a paragraph"],
    ["> a\n> ![x](u)\n> b", "> a\n> b", "in a quotation, too"],
    ["a\r\n![x](u)\r\nb", "a\r\nb", "and with other ends of lines"],
    ["![x](u)", "", "nothing is left of nothing else"],
    ["*![x](u)* a", " a", "nor of marks around it"],
    ["*![x](u) b*", "*b*", "what is left of emphasis stays emphasis"],
    ["![x](u 'title') ![y]( <u> \"t\" )a", " a", "with a title, and in angle brackets"],
    ["![a ![b](c) d](u)", "", "with an image in its description"],
    ["[![a](u)](x) b", " b", "an image in a link goes with the link that is empty then"],
    ["[![a](u) c](x)", "[ c](x)", "and leaves a link that is not"],
    ["[![a](x)](u)", "![a](x)", "an image in a link to it stays"],
    ["[a](u) [b](u) c![x](u) ![y](u)d", "a b c d", "words stay apart"],
    ["see [*this* page](u).", "see *this* page.", "a link becomes its text"],
    ["[b][r] ![c][r] ![r] ![r][]\n\n[r]: u\n", "b   \n", "references go with their definition"],
    ["a\n\n[r]: u\nb", "a\n\nb", "a definition goes, and what was no paragraph with it is none"],
    [
      "[r]: u\n[r]: v\n[q]: w\n\n[r] [q]",
      "[r]: v\n[q]: w\n\nr [q]",
      "the first definition is the one that counts"
    ],
    ["`![a](u)` ![b](u)", "`![a](u)` ", "code in a line stays"],
    [
      "```\n![a](u)\n```\n\n    ![a](u)\n\n![b](u)\n",
      "```\n![a](u)\n```\n\n    ![a](u)\n",
      "blocks of code stay"
    ],
    ["\\![a](u)", "\\!a", "what is no image may be a link"],
    ["u ![a](u2) ![b](x/u)", "u ![a](u2) ![b](x/u)", "nothing that is not exactly it goes"],
    ["- ![a](u)\n- b", "- \n- b", "an item of a list stays"],
    ["- ![a](u)\n\n  b", "- b", "and begins with what is left of it"],
    ["# ![a](u)\n\nb", "b", "a heading that is empty goes"],
    ["![a](u)\n===\n\nb", "b", "and its underline with it"],
    ["a  \n![x](u)", "a", "a hard break with nothing after it goes"],
    ["| a ![x](u) | b |\n| - | - |", "| a  | b |\n| - | - |", "cells stay"],
    ["[b]![a](u)(x)", "[b]&#8203;(x)", "no link comes to be"],
    ["[b]![a](u)(u)", "[b]&#8203;(u)", "and none to it"],
    ["- a\n\n![x](u)\n\n- b", "- a\n\n&#8203;\n\n- b", "two lists stay two"],
    ["![x](u)    code\n", "code\n", "no code comes to be"],
    [
      "\uFEFFa ![x](u)\n\n".repeat(1) + "b\n\n".repeat(99) + "![y](u)",
      `\uFEFFa \n\n${"b\n\n".repeat(98)}b`,
      "in any part of a text"
    ]
  ]
  for (const [source, result, why] of removals) {
    it(`A removal turns ${JSON.stringify(source.slice(0, 60))} into ${JSON.stringify(result.slice(0, 60))}: ${why}`, () => {
      assert.strictEqual(markdownWithoutUrl(source, url), result)
    })
  }

  const image = "https://media.test/a_b.png?x=1&y=2"

  it("An escaped URL, one with character references or in angle brackets is found", () => {
    const spellings = [
      image,
      image.replace("&", "&amp;"),
      image.replace("_", "\\_"),
      image.replace("_", "&#95;").replace(":", "&colon;").replace("?", "&#x3f;"),
      `<${image}>`
    ]
    for (const spelling of spellings) {
      assert.strictEqual(markdownWithoutUrl(`a ![x](${spelling} "t") b`, image), "a  b")
      assert.strictEqual(markdownWithoutUrl(`a ![x][r]\n\n[r]: ${spelling}`, image), "a ")
    }
    assert.strictEqual(markdownWithoutUrl(`a <${image}> b`, image), "a  b")
    assert.strictEqual(markdownWithoutUrl("a <a@b.test>", "mailto:a@b.test"), "a ")
  })

  it("A URL leaves even a text that is too complex to read, in any spelling", () => {
    const deep = "> ".repeat(600)
    const spelled = image.replace("_", "\\_").replace("&", "&amp;").replace(":", "&#58;")
    for (const [text, left] of [
      [image, ""],
      [spelled, ""],
      [`a${image.slice(0, 9)}${spelled}${image.slice(9)}b`, "ab"],
      [`${image}${image}&copy;\\_`, "&copy;\\_"]
    ] as const) {
      assert.strictEqual(markdownWithoutUrl(`${deep}![a](${text})`, image), `${deep}![a](${left})`)
    }
    const untouched = `${deep}![a](https://media.test/other.png)\\&`
    assert.strictEqual(markdownWithoutUrl(untouched, image), untouched)
  })

  it("Many addresses leave a text as one after the other does, in one pass", () => {
    const urls = Array.from({ length: 200 }, (_, n) => `${image}?${n}`)
    const text = urls.map((it, n) => `Words ${n} ![a](${it}) and [a link](${it}).\n\n`).join("")
    const expected = urls.reduce(markdownWithoutUrl, text.slice(0, 1_000))
    assert.strictEqual(markdownWithoutUrls(text.slice(0, 1_000), urls), expected)
    const left = markdownWithoutUrls(text, urls)
    assert.notInclude(left, image)
    assert.include(left, "Words 199")
  })

  it("A removal that takes long is not made where others wait", () => {
    assert.strictEqual(withoutUrlsQuickly("![a](u) b", [url]), " b")
    assert.isUndefined(withoutUrlsQuickly("![a](u) b\n\n".repeat(200), [url]))
    assert.strictEqual(withoutUrlsQuickly("plain ".repeat(30_000), [image]), "plain ".repeat(30_000))
  })
})
