import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { EXCERPT_MAX } from "../../../../src/publishing/content/reading/excerpt.ts"
import { plainExcerpt } from "../../../../src/publishing/content/reading/plainExcerpt.ts"
import { readMarkdown, readParsed } from "../../../../src/publishing/content/reading/readMarkdown.ts"

const excerptOf = (source: string) => {
  const { excerpt } = readMarkdown(source)
  assert.strictEqual(readParsed(source).excerpt, excerpt)
  return excerpt
}

const lengthOf = (text: string) => [...text].length

const excerpts: ReadonlyArray<readonly [what: string, source: string, excerpt: string]> = [
  ["nothing of nothing", "", ""],
  ["nothing of white space", " \n\n\t\n", ""],
  ["a paragraph", "One paragraph.", "One paragraph."],
  ["paragraphs one after the other", "One.\n\nTwo.", "One. Two."],
  ["lines as one", "One\ntwo\r\nthree\rfour", "One two three four"],
  ["white space as one space", "One \t  two &nbsp; three", "One two three"],
  [
    "words without their marks",
    "*One* **two** ~~three~~ ++four++ `five` \\*six",
    "One two three four five *six"
  ],
  ["a hard break as a space", "One\\\ntwo  \nthree<br>four", "One two three four"],
  ["characters that are named", "One &amp; two &lt; three", "One & two < three"],
  ["tag-like text", "Send <block hash> on", "Send <block hash> on"],
  [
    "the text of a link",
    '[One *two*](https://a.test "title") <https://a.test> [three]\n\n[three]: /x',
    "One two https://a.test three"
  ],
  ["nothing of an image", 'One ![two](three.png "four") five', "One five"],
  ["nothing of a linked image", "[![one](two.png)](three) four", "four"],
  ["nothing of code", "    one\n\n```js\ntwo\n```\n\n~~~\nthree\n~~~\n\nFour.", "Four."],
  ["nothing of a table", "| one | two |\n| - | - |\n| three | four |\n\nFive.", "Five."],
  ["nothing of a footnote or its reference", "[^a]: One.\n\nTwo[^a] three[^b].", "Two three[^b]."],
  ["a bare address", "One https://a.test/two_three.", "One https://a.test/two_three."],
  ["nothing of a thematic break or a definition", "***\n\n[a]: /b 'c'\n\nOne.", "One."],
  [
    "what lists and quotations say",
    "- One\n- two\n  1. three\n\n> Four\n> > five",
    "One two three Four five"
  ],
  ["paragraphs, and no headings", "# Title\n\nOne.\n\nMore\n====\n\n> ## Inner\n> Two.", "One. Two."],
  ["headings where there is nothing else", "# One\n\nTwo\n---\n\n> ### *Three*", "One Two Three"],
  ["headings where all else is left out", "# One\n\n    two\n\n![three](four)\n\n| a |\n| - |", "One"],
  ["nothing where there is only what is left out", "```\none\n```\n\n![two](three)", ""]
]

describe("the excerpt of a section", () => {
  for (const [what, source, excerpt] of excerpts) {
    it(`An excerpt has ${what}`, () => {
      assert.strictEqual(excerptOf(source), excerpt)
    })
  }

  it("A text of 300 characters is its own excerpt", () => {
    assert.strictEqual(EXCERPT_MAX, 300)
    for (const source of ["a".repeat(300), "🐈".repeat(300), "word ".repeat(60), `${"a ".repeat(149)}bc`])
      assert.strictEqual(excerptOf(source), source.trim())
  })

  it("An excerpt ends with a word and an ellipsis where the text goes on", () => {
    assert.strictEqual(excerptOf("word ".repeat(61)), `${"word ".repeat(59)}word…`)
    assert.strictEqual(excerptOf(`${"a ".repeat(149)}long words`), `${"a ".repeat(148)}a…`)
    assert.strictEqual(
      excerptOf(`${"One. ".repeat(50)}\n\n${"Two. ".repeat(50)}`),
      `${"One. ".repeat(50)}${"Two. ".repeat(9)}Two.…`
    )
  })

  it("An excerpt ends within a word that is longer than itself", () => {
    assert.strictEqual(excerptOf("a".repeat(301)), `${"a".repeat(299)}…`)
  })

  it("An excerpt ends after a whole character", () => {
    assert.strictEqual(excerptOf("🐈".repeat(301)), `${"🐈".repeat(299)}…`)
    assert.strictEqual(excerptOf(`a${"🐈".repeat(1000)}`), `a${"🐈".repeat(298)}…`)
  })

  it("An excerpt is the beginning of the text, with at most 300 characters", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "é", "語", "🐈", "ß"), minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(fc.array(word, { maxLength: 120 }), (words) => {
        const text = words.join(" ")
        const excerpt = excerptOf(text)
        assert.isAtMost(lengthOf(excerpt), EXCERPT_MAX)
        assert.isTrue(excerpt.isWellFormed())
        if (lengthOf(text) <= EXCERPT_MAX) return assert.strictEqual(excerpt, text)
        assert.isTrue(excerpt.endsWith("…"))
        assert.isTrue(text.startsWith(`${excerpt.slice(0, -1)} `))
        // The next word would not fit.
        const next = text.slice(excerpt.length).split(" ", 1)[0] ?? ""
        assert.isAbove(lengthOf(excerpt) + lengthOf(next) + 1, EXCERPT_MAX)
      }),
      { numRuns: 1000 }
    )
  })

  it("An excerpt of prose is the same without a parse", () => {
    const words =
      "word Wörter 語 \u201cquoted\u201d it\u2019s 12 - = # > ! : ( ) \u00a0 \u2028 a\u0301 🐈 e.g. 1. a-b".split(
        " "
      )
    const marked = "*a* **b a_b `c` [d](e) \\f &amp; &x ++u++ + x++ <br> a\rb \0 ~g~".split(" ")
    const lineOf = (all: ReadonlyArray<string>, most: number) =>
      fc.array(fc.constantFrom(...all), { minLength: 1, maxLength: most }).map((them) => them.join(" "))
    const line = fc.oneof(
      { arbitrary: lineOf(words, 60), weight: 6 },
      { arbitrary: lineOf([...words, ...marked], 30), weight: 2 },
      {
        arbitrary: fc.constantFrom(
          "",
          " ",
          "\t",
          "# A",
          "## B *c*",
          "===",
          "---",
          " -",
          "  --- ",
          "> q",
          "- i"
        ),
        weight: 5
      }
    )
    const source = fc
      .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom("\n", "\n", "\n\n", "\r\n"))
      .map(([lines, end]) => lines.join(end))
    let known = 0
    fc.assert(
      fc.property(source, (source) => {
        const excerpt = plainExcerpt(source)
        if (excerpt === undefined) return
        known++
        assert.strictEqual(readParsed(source).excerpt, excerpt)
      }),
      { numRuns: 3000 }
    )
    assert.isAbove(known, 50)
  })

  it("An excerpt of a typical beginning needs no parse", () => {
    const prose = "Once upon a time there was a fox. ".repeat(10)
    assert.isDefined(plainExcerpt(`# Title *here*\n\n${prose}\n\n- a list`))
    assert.isDefined(plainExcerpt(`${prose}\n${prose}**bold**`))
    assert.isDefined(plainExcerpt("A few words."))
    assert.isUndefined(plainExcerpt(`${prose}**bold**\n===\n\nMore.`))
    assert.isUndefined(plainExcerpt("A few **words**."))
  })
})
