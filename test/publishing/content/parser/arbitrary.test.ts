import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Nodes } from "mdast"
import { fromMarkdown } from "mdast-util-from-markdown"
import { gfmStrikethroughFromMarkdown } from "mdast-util-gfm-strikethrough"
import { gfmTableFromMarkdown } from "mdast-util-gfm-table"
import { gfmTaskListItemFromMarkdown } from "mdast-util-gfm-task-list-item"
import { gfmStrikethrough } from "micromark-extension-gfm-strikethrough"
import { gfmTable } from "micromark-extension-gfm-table"
import { gfmTaskListItem } from "micromark-extension-gfm-task-list-item"
import { htmlOf } from "../../../../src/publishing/content/html/safeHtml.ts"
import { isPlain } from "../../../../src/publishing/content/parser/estimatedCost.ts"
import {
  type DelimiterRun,
  pair,
  type Pairing
} from "../../../../src/publishing/content/parser/pairDelimiters.ts"
import { parse } from "../../../../src/publishing/content/parser/parse.ts"
import { excerptOf } from "../../../../src/publishing/content/reading/excerpt.ts"
import { readMarkdown, readParsed } from "../../../../src/publishing/content/reading/readMarkdown.ts"
import { firstImageIn, unsupportedIn } from "../../../../src/publishing/content/reading/unsupported.ts"
import { soak } from "../../../support/soak.ts"
import { rootOf } from "../rendering.ts"

const words = ["a", "b", "wörd", "語", "1", ".", ",", "é", "🐈", "http://a.test", "\\", "&amp;", "&#0;"]
const spans = [..."* ** *** _ __ ~ ~~ ~~~ ` `` ! [ ] ( ) \" '".split(" "), "](", "![", "[a]", "][", " ", " "]
const blocks = [
  "\n",
  "\n",
  "\n\n",
  "\n\n",
  "\n> ",
  "\n- ",
  "\n  ",
  "\n    ",
  "\n\n    ",
  "\n1. ",
  "\n# ",
  "\n---",
  "\n===",
  "\n```\n",
  "\n~~~\n",
  "\n[a]: b",
  "\n[b]: <c>\n",
  "\n| a | b |\n| - | - |\n",
  "\n|-|\n",
  "|"
]
const ends = ["\r\n", "\r\n\r\n", "\r", "\r\r", "\t", "\n\t", "\n \t\n"]
const ours = [
  ..."++ +++ + <b> </b> <div> <!-- --> <? <br> <a@b.test> < > [^a] ![^a] ![x](y)".split(" "),
  "\n<div>\n",
  "\n<!--\n",
  "\n<pre>",
  "\n[^a]: ",
  "- [ ] ",
  "\n- [x] a",
  "\n[^b]: a\n\n    b"
]

const textOf = (pieces: ReadonlyArray<string>, rest: fc.Arbitrary<string>) =>
  fc
    .array(fc.oneof({ arbitrary: fc.constantFrom(...pieces), weight: 12 }, { arbitrary: rest, weight: 1 }), {
      maxLength: 40
    })
    .map((texts) => texts.join(""))

/** Text of all marks of Markdown in any order, and of characters other than text. */
const anything = textOf(
  [...words, ...spans, ...blocks, ...ends, ...ours],
  fc.string({ unit: "binary", maxLength: 4 }).map((text) => `${text}\ud800\0\uDFFF`)
)

/** Text without these marks and without constructs that this parser reads differently from the stock parser. */
const commonWithout = (marks: RegExp) =>
  textOf(
    [...words, ...spans, ...spans, ...blocks, ...ends]
      // An address is a link here.
      .filter((piece) => !marks.test(piece) && !piece.startsWith("http")),
    fc.string({ unit: "grapheme", maxLength: 3 }).map((text) => text.replaceAll(/[+<^~*_]/g, "x"))
  )

/** Returns a tree without the places of its nodes. */
const bare = (node: Nodes): unknown => {
  const { position: _, ...rest } = node
  return "children" in node ? { ...rest, children: node.children.map(bare) } : rest
}

/** Text in angle brackets here never names an element of HTML, so that it is text. */
const withoutHtml = { disable: { null: ["htmlFlow", "htmlText"] } }

const stockRootOf = (source: string) =>
  fromMarkdown(source, {
    extensions: [gfmTable(), gfmStrikethrough({ singleTilde: false }), gfmTaskListItem(), withoutHtml],
    mdastExtensions: [gfmTableFromMarkdown(), gfmStrikethroughFromMarkdown(), gfmTaskListItemFromMarkdown()]
  })

/**
 * CommonMark's rule of three counts the lengths of whole runs. The stock parser counts the unused part of a run, so it
 * differs where runs of several lengths may both open and close.
 */
const mayBreakRuleOfThree = (source: string) => {
  const found = [...source.matchAll(/\*+|_+/g)]
  return (
    new Set(found.map(([run]) => run.length)).size > 1 &&
    found.some(
      ({ 0: run, index }) => /\S/.test(source[index - 1] ?? "") && /\S/.test(source[index + run.length] ?? "")
    )
  )
}

const runs = { numRuns: soak(500, 5_000) }

/** Reads a text by way of its parts. */
const readingOf = (source: string, partChars: number) => {
  const parts = parse(source, partChars)
  const roots = parts.map(({ root }) => root)
  return {
    tree: bare(rootOf(source, partChars)),
    unsupported: unsupportedIn(parts),
    firstImage: firstImageIn(roots),
    excerpt: excerptOf(roots.flatMap(({ children }) => children))
  }
}

describe("any text", () => {
  it("Any text is read without failing, and a short one is never too complex", () => {
    fc.assert(
      fc.property(anything, (source) => {
        assert.isFalse(readMarkdown(source).isTooComplex)
      }),
      runs
    )
  })

  it("A text read part by part gives the same as read whole", () => {
    fc.assert(
      fc.property(anything, fc.constantFrom(1, 16), (source, partChars) => {
        assert.deepStrictEqual(readingOf(source, partChars), readingOf(source, Infinity))
      }),
      runs
    )
  })

  it("Plain prose gives the same without a full reading", () => {
    const plain = fc.oneof(commonWithout(/~/), anything).filter(isPlain)
    fc.assert(
      fc.property(plain, (source) => {
        assert.deepStrictEqual(readMarkdown(source), readParsed(source))
      }),
      runs
    )
  })

  it("Emphasis, blocks and tables are those of CommonMark", () => {
    fc.assert(
      fc.property(commonWithout(/~/), (source) => {
        fc.pre(!mayBreakRuleOfThree(source))
        assert.deepStrictEqual(bare(rootOf(source, Infinity)), bare(stockRootOf(source)))
      }),
      runs
    )
  })

  it("Strikethrough between two tildes is that of GFM", () => {
    fc.assert(
      fc.property(commonWithout(/[*_]/), (source) => {
        assert.deepStrictEqual(bare(rootOf(source, Infinity)), bare(stockRootOf(source)))
      }),
      runs
    )
  })
})

/** Follows CommonMark's "process emphasis" word for word: each closer searches all openers before it. */
const processEmphasis = (runs: ReadonlyArray<DelimiterRun>): ReadonlyArray<Pairing> => {
  const isEmphasis = ({ marker }: DelimiterRun) => marker === 42 || marker === 95
  const stack = runs.map((run) => ({
    run,
    left: run.size,
    isRemoved: false,
    closes: new Array<number>(),
    opens: new Array<number>()
  }))
  const canPair = (opener: DelimiterRun, closer: DelimiterRun) => {
    if (opener.marker !== closer.marker || !opener.canOpen) return false
    if (!isEmphasis(opener)) return opener.size === closer.size
    const isEither = (opener.canOpen && opener.canClose) || (closer.canOpen && closer.canClose)
    const areThrees = opener.size % 3 === 0 && closer.size % 3 === 0
    return !(isEither && (opener.size + closer.size) % 3 === 0) || areThrees
  }
  for (const [at, closer] of stack.entries()) {
    while (closer.run.canClose && closer.left > 0) {
      const before = stack.slice(0, at)
      const opener = before.findLast(({ isRemoved, run }) => !isRemoved && canPair(run, closer.run))
      if (opener === undefined) break
      const size = !isEmphasis(closer.run) ? closer.run.size : Math.min(opener.left, closer.left, 2)
      opener.opens.push(size)
      closer.closes.push(size)
      opener.left -= size
      closer.left -= size
      for (const between of before.slice(before.indexOf(opener) + 1)) between.isRemoved = true
      if (opener.left === 0) opener.isRemoved = true
    }
    if (closer.left === 0) closer.isRemoved = true
  }
  return stack.map(({ closes, opens }) => ({ closes, opens }))
}

describe("delimiter runs", () => {
  const flanks = { canOpen: fc.boolean(), canClose: fc.boolean() }
  const run = fc.oneof(
    fc.record({ marker: fc.constantFrom(42, 95), size: fc.integer({ min: 1, max: 7 }), ...flanks }),
    fc.record({ marker: fc.constant(126), size: fc.constant(2), ...flanks }),
    fc.record({ marker: fc.constant(43), size: fc.constant(2), ...flanks })
  )

  it("Delimiter runs pair as CommonMark's appendix says", () => {
    fc.assert(
      fc.property(fc.array(run, { maxLength: 30 }), (them) => {
        assert.deepStrictEqual(pair(them), processEmphasis(them))
      }),
      runs
    )
  })

  const renderings: ReadonlyArray<readonly [source: string, html: string, why: string]> = [
    ["*a ~~b* c~~", "<em>a ~~b</em> c~~", "what closes first wins"],
    ["~~a *b~~ c*", "<del>a *b</del> c*", "what closes first wins, whatever of the two it is"],
    ["80~100 euros, 15~20", "80~100 euros, 15~20", "a tilde is the sign of a range"],
    ["約3~4時間、10~20원", "約3~4時間、10~20원", "a tilde is the sign of a range in any script"],
    ["~a~ b ~ c~", "~a~ b ~ c~", "one tilde strikes out nothing"],
    ["~~80~100~~", "<del>80~100</del>", "a range may be struck out"],
    ["a ~~~b~~~ ~~~~c~~~~", "a ~~~b~~~ ~~~~c~~~~", "three or four strike out nothing"],
    ["++a *b++ c*", "<u>a *b</u> c*", "an underline is on the same stack"],
    [
      "~__. ~~__~~",
      "~<strong>. ~~</strong>~~",
      "a strikethrough may not cross strong emphasis that closes first"
    ],
    ["__a_[_***", "_<em>a</em>[_***", "the rule of three counts the whole of a run that is used in part"],
    ["a~~**b**~~c", "a~~<strong>b</strong>~~c", "tildes before punctuation open nothing within a word"],
    ["a**~~b~~**c", "a<strong><del>b</del></strong>c", "tildes are looked through"],
    ["~~*b*~~", "<del><em>b</em></del>", "between white space it does"],
    ["a++b++c", "a<u>b</u>c", "an underline may be within a word"],
    ["++a+++", "++a+++", "three are no underline"],
    ["+a+", "+a+", "one is no underline"],
    ["C++ and C++", "C++ and C++", "none opens"],
    ["\\++a++", "++a++", "an escaped mark is none"],
    ["++a\nb++", "<u>a\nb</u>", "an underline goes over lines"],
    ["++ a ++", "++ a ++", "white space is within neither mark"]
  ]
  for (const [source, html, why] of renderings) {
    it(`Delimiter runs make ${JSON.stringify(html)} of ${JSON.stringify(source)}: ${why}`, () => {
      assert.strictEqual(htmlOf(rootOf(source)), `<p>${html}</p>`)
    })
  }
})
