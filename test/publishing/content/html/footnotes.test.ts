import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { use } from "../../../../src/platform/pages/assets/tools.js"
import { absoluteHtml, feedHtml } from "../../../../src/publishing/content/html/absoluteHtml.ts"
import { inOneColour, pageText } from "../../../../src/publishing/content/html/pageText.ts"
import { REST, withMark } from "../../../../src/publishing/content/html/restMark.ts"
import { readMarkdown } from "../../../../src/publishing/content/reading/readMarkdown.ts"
import { soak } from "../../../support/soak.ts"
import { elementsIn, treeOf } from "../rendering.ts"

const textOf = (source: string) => pageText(source, inOneColour)
const htmlOf = (source: string) => textOf(source).html

const elementsOf = (html: string) => elementsIn(treeOf(html))
const idsIn = (html: string) => elementsOf(html).flatMap(({ attributes: { id } }) => id ?? [])
const targetsIn = (html: string) =>
  elementsOf(html).flatMap(({ attributes: { href = "" } }) => (href.startsWith("#fn") ? [href.slice(1)] : []))

const assertLinked = (html: string) => {
  const ids = idsIn(html)
  assert.strictEqual(new Set(ids).size, ids.length, html)
  for (const target of targetsIn(html)) assert.include(ids, target, html)
}

/** Pieces of sections whose words tell which section they are of. */
const section = (word: string) =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          "[^1]",
          "[^2]",
          "[^a]",
          "\n\n",
          "\n",
          "- ",
          "> ",
          "# ",
          "    ",
          " ",
          "*",
          '![x](y "',
          '")'
        ),
        fc.constantFrom("1", "2", "a").map((label) => `\n\n[^${label}]: ${word} [^2]`),
        fc.constantFrom(`[^1]: ${word}\n`, `\n\n    ${word} more`, word, `[^${word}]`, `[${word}][^1]`)
      ),
      { maxLength: 14 }
    )
    .map((them) => them.join(""))

describe("footnotes on a page", () => {
  it("A footnote stands at the end of its section, and links back to its reference", () => {
    assert.strictEqual(
      htmlOf("Words[^note] and more.\n\n[^note]: The *first*.\n\n    The second.\n\nThe end."),
      '<p>Words<sup><a role="doc-noteref" href="#fn-1" aria-label="Note 1" id="fnref-1">1</a></sup> and more.</p>\n' +
        "<p>The end.</p>\n" +
        '<section class="notes" role="doc-endnotes" aria-label="Notes 1 to 1"><ol>\n<li id="fn-1">\n' +
        "<p>The <em>first</em>.</p>\n" +
        '<p>The second. <a role="doc-backlink" href="#fnref-1" aria-label="Back to the text from note 1">↩︎</a></p>\n' +
        "</li>\n</ol></section>"
    )
  })

  it("Footnotes are in the order of their references, and each is there once", () => {
    const html = htmlOf("a[^b] c[^a] d[^B]\n\n[^a]: A\n[^b]: B\n[^b]: again\n[^unused]: unused")
    assert.match(html, /id="fn-1">\n<p>B [^]*id="fn-2">\n<p>A /)
    assert.notMatch(html, /again|unused/)
    assert.include(html, 'href="#fnref-1-2" aria-label="Back to the text from note 1, place 2"')
    assertLinked(html)
  })

  it("A reference without a footnote is text", () => {
    assert.strictEqual(htmlOf("a[^1] [^b c]"), "<p>a[^1] [^b c]</p>")
    assert.strictEqual(htmlOf("`[^1]` \\[^1]\n\n[^1]: a"), "<p><code>[^1]</code> [^1]</p>")
  })

  it("Footnotes of footnotes are shown once, in circles too", () => {
    const html = htmlOf("a[^1]\n\n[^1]: one [^2] [^1]\n[^2]: two [^1] [^3]\n[^4]: four [^5]\n[^5]: five [^4]")
    assert.deepStrictEqual(html.match(/<li /g)?.length, 2)
    assert.include(html, "[^3]")
    assert.notMatch(html, /four|five/)
    assertLinked(html)
  })

  it("A footnote may stand within a list, a quotation or another footnote, and have any blocks", () => {
    const html = htmlOf(
      "- a[^1]\n\n  [^1]: one\n\n> b[^2]\n>\n> [^2]: > two\n\nc[^3] d[^4]\n\n[^3]: ```\n    three\n    ```\n\n    [^4]: | f |\n        | - |"
    )
    assert.strictEqual(html.match(/<li id="fn-/g)?.length, 4)
    assert.match(html, /three\n<\/code><\/pre>\n<p><a role="doc-backlink" href="#fnref-3"/)
    assertLinked(html)
  })

  it("A reference within a link is a plain number, since links do not nest", () => {
    const html = htmlOf("[a[^1]](https://a.test)\n\n## b[^1]\n\n[^1]: note")
    assert.include(html, 'a<sup id="fnref-1">1</sup></a>')
    assert.include(html, '<h2 id="h-b">b<sup><a role="doc-noteref" href="#fn-1"')
    assertLinked(html)
  })

  it("A number of a footnote is no word of the text, of its headings, or of its excerpt", () => {
    const source = "# Title[^1]\n\nTwo words[^1]\n\n[^1]: Three more words"
    const { headings, words } = textOf(source)
    assert.deepStrictEqual(headings, [{ level: 2, id: "h-title", text: "Title" }])
    assert.strictEqual(words, 6)
    assert.strictEqual(readMarkdown(source).excerpt, "Two words")
  })

  it("The tools of the editor keep a reference, and an author's own link to a footnote is like any other", () => {
    const value = "wo[^1] rd\n\n[^1]: note"
    for (const tool of ["bold", "italic", "underline", "strike", "list", "quote"] as const) {
      const edit = use(tool, { value, start: 0, end: 9 })
      assert.isDefined(edit, tool)
      const { from = 0, insert = "", to = 0 } = edit ?? {}
      const html = htmlOf(value.slice(0, from) + insert + value.slice(to))
      assert.match(html, /wo<sup><a role="doc-noteref"[^]*<li id="fn-1">\n<p>note /, tool)
    }
    assert.include(htmlOf(`[x](#fn-1) ${value}`), '<a href="#fn-1" rel="nofollow ugc noopener">x</a>')
  })

  it("A footnote with thousands of references has a bounded number of links back", () => {
    const html = htmlOf(`${"a[^1] ".repeat(3_000)}\n\n[^1]: b`)
    assert.strictEqual(html.match(/doc-backlink/g)?.length, 50)
    assertLinked(html)
  })

  it("Footnotes in a feed have ids that no other post has, and lead to places in the feed", () => {
    const html = htmlOf("a[^1] b[^1] [c[^1]](https://a.test)\n\n[^1]: note")
    const feeds = ["@ann/one", "@ann/two", "@bob/one"].map((path) =>
      feedHtml(html, `https://press.test/${path}`)
    )
    assertLinked(feeds.join(""))
    assert.include(feeds[0], '<hr><ol>\n<li id="fn-1.ann.one">')
    assert.notMatch(feeds.join(""), /<section|class=/)
    // A page elsewhere has the notes, too.
    assert.strictEqual(absoluteHtml(html, "https://press.test/@ann/one"), html)
  })

  it("Words that look like the HTML of a footnote stay words in a feed", () => {
    const words = '<li id="fn-1"> <sup id="fnref-1"> <section class="notes"> id="fn-1"'
    const html = htmlOf(`\`${words}\` ![<li id="fn-1">](https://a.test '<sup id="fnref-1">')`)
    assert.strictEqual(feedHtml(html, "https://press.test/@ann/one"), html)
  })
})

describe("footnotes of a free and a paid section", () => {
  it("A section knows only its own footnotes, and the numbers go on", () => {
    const free = "Free[^1] [^2]\n\n[^1]: free note"
    const paid = "Paid[^1] [^2]\n\n[^1]: paid note\n[^2]: second"
    const [before = "", after = ""] = htmlOf(withMark(free, paid)).split(REST)
    assert.match(before, /aria-label="Note 1"[^]*\[\^2\][^]*free note/)
    assert.notMatch(before, /paid|second/)
    assert.match(after, /aria-label="Note 2"[^]*aria-label="Note 3"[^]*<ol start="2">[^]*paid note[^]*second/)
    assert.strictEqual(before.trim(), htmlOf(free))
    assertLinked(before + after)
  })

  it("A paid section that goes on where a footnote of the free one ends is not part of it", () => {
    for (const free of [
      "a[^1]\n\n[^1]: note",
      "a[^1]\n\n[^1]:",
      "a[^1]\n\n[^1]: - note",
      "a[^1]\n\n[^1]: > note\n"
    ]) {
      const [before = "", after = ""] = htmlOf(withMark(free, "    paid\n\nmore")).split(REST)
      assert.strictEqual(before.trim(), htmlOf(free))
      assert.match(after, /paid[^]*more/)
    }
  })

  it("The free part never has a word of the paid part, and what buyers read begins with it", () => {
    fc.assert(
      fc.property(section("public"), section("secret"), (free, paid) => {
        const open = textOf(free)
        assert.notInclude(open.html + readMarkdown(free).excerpt + JSON.stringify(open.headings), "secret")
        const whole = htmlOf(withMark(free, paid))
        const [before = "", ...after] = whole.split(REST)
        assertLinked(whole)
        assert.lengthOf(after, 1)
        assert.notInclude(before, "secret", `${free}\n=====\n${paid}`)
        assert.notInclude(after.join(""), "public", `${free}\n=====\n${paid}`)
        assert.notInclude(feedHtml(open.html, "https://press.test/@a/b"), "secret")
      }),
      { numRuns: soak(300, 10_000) }
    )
  })

  it("Any mixture of footnotes and other marks has links that lead somewhere, and ids that are there once", () => {
    fc.assert(
      fc.property(section("one"), section("two"), (one, two) => {
        const html = htmlOf(`${one}\n\n${two}`)
        assertLinked(html)
        assertLinked(feedHtml(html, "https://press.test/@a/b"))
        assert.strictEqual(htmlOf(`${one}\n\n${two}`), html)
      }),
      { numRuns: soak(200, 5_000) }
    )
  })
})

describe("captions", () => {
  it("An image alone in its paragraph has its title as its caption", () => {
    assert.strictEqual(
      htmlOf('![A hen](/hen.png "My *hen*")'),
      '<figure><img src="/hen.png" alt="A hen">\n<figcaption>My *hen*</figcaption></figure>'
    )
    assert.strictEqual(
      feedHtml(htmlOf('![][r]\n\n> ![b](b.png "c")\n\n[r]: a.png "r"'), "https://press.test/@ann/one"),
      '<figure><img src="https://press.test/@ann/a.png" alt="">\n<figcaption>r</figcaption></figure>\n' +
        '<blockquote>\n<figure><img src="https://press.test/@ann/b.png" alt="b">\n<figcaption>c</figcaption></figure>\n</blockquote>'
    )
    assert.strictEqual(textOf('![a](b.png "Two words")').words, 2)
  })

  it("An image without a title, with words around it, or from nowhere is no figure", () => {
    for (const source of [
      "![a](/b.png)",
      '![a](/b.png " ")',
      'a ![a](/b.png "c")',
      '![a](/b.png "c") ![a](/b.png "c")',
      '[![a](/b.png "c")](https://a.test)',
      '- ![a](/b.png "c")',
      '# ![a](/b.png "c")',
      '|a|\n|-|\n|![a](/b.png "c")|',
      '![a](data:image/png,x "c")'
    ])
      assert.notInclude(htmlOf(source), "<figure>", source)
  })
})
