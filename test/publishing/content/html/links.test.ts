import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { toHtml } from "hast-util-to-html"
import { absoluteMarkdown } from "../../../../src/publishing/content/html/absoluteMarkdown.ts"
import { pageText } from "../../../../src/publishing/content/html/pageText.ts"
import { renderHtml } from "../../../../src/publishing/content/html/renderHtml.ts"
import { hastOf } from "../../../../src/publishing/content/html/safeHtml.ts"
import { mayBeRelative } from "../../../../src/publishing/content/html/targets.ts"
import { readMarkdown } from "../../../../src/publishing/content/reading/readMarkdown.ts"
import { soak } from "../../../support/soak.ts"
import { rootOf } from "../rendering.ts"
import { hostileUrls } from "./hostileHtml.ts"

const URL_OF_POST = "https://press.test/@mara/nine-degrees"

const onPage = (source: string) => pageText(source, () => undefined, { url: URL_OF_POST }).html
const inFeed = (source: string) => renderHtml(source, URL_OF_POST)
const inTwin = (source: string) => absoluteMarkdown(source, URL_OF_POST)

const hrefsIn = (html: string) => [...html.matchAll(/ href="([^"]*)"/g)].map(([, href]) => href)

/** Addresses as authors write them, and as they lead on from their Post. */
const absolute: ReadonlyArray<readonly [written: string, address: string]> = [
  ["other-post", "https://press.test/@mara/other-post"],
  ["./other-post", "https://press.test/@mara/other-post"],
  ["../@bea/hers#end", "https://press.test/@bea/hers#end"],
  ["/about", "https://press.test/about"],
  ["?q=a", "https://press.test/@mara/nine-degrees?q=a"],
  ["", "https://press.test/@mara/nine-degrees"],
  ["//example.org/a", "https://example.org/a"],
  ["HTTPS://Example.org/A", "https://Example.org/A"],
  ["https://example.org/a", "https://example.org/a"],
  ["mailto:mara@example.org", "mailto:mara@example.org"],
  ["TEL:+4930123456", "tel:+4930123456"],
  ["nano:nano_3abc?amount=1", "nano:nano_3abc?amount=1"],
  ["#not-a-heading", "https://press.test/@mara/nine-degrees#not-a-heading"]
]

describe("the links of a section", () => {
  for (const [written, address] of absolute) {
    it(`A link to ${JSON.stringify(written)} leads on from its Post`, () => {
      for (const source of [`[a](${written})`, `[a](<${written}> "t")`, `[a][r]\n\n[r]: <${written}>`]) {
        assert.deepStrictEqual(readMarkdown(source).unsupported, [])
        assert.deepStrictEqual(hrefsIn(onPage(source)), [address])
        assert.deepStrictEqual(hrefsIn(inFeed(source)), [address])
        if (written !== "")
          assert.deepStrictEqual(hrefsIn(renderHtml(inTwin(source), "https://elsewhere.test/")), [address])
      }
    })
  }

  it("An image by a relative address comes from the site of its Post", () => {
    for (const source of ["![a](images/b.png)", "![a][r]\n\n[r]: images/b.png"]) {
      assert.include(onPage(source), '<img src="https://press.test/@mara/images/b.png" alt="a">')
      assert.include(inFeed(source), '<img src="https://press.test/@mara/images/b.png" alt="a">')
      assert.include(inTwin(source), "https://press.test/@mara/images/b.png")
    }
    assert.include(onPage("![a](//a.test/b.png)"), 'src="https://a.test/b.png"')
    assert.include(onPage("[![a](/b.png)](c)"), '<img src="https://press.test/b.png"')
  })

  it("A link to a heading leads to it, in each way that people name one", () => {
    const text = (target: string) =>
      `[a](${target})\n\n# What's new in C++?\n\n## Über uns\n\n## Notes\n\n## Notes\n\n## 日本語 の本`
    const targets: ReadonlyArray<readonly [target: string, id: string]> = [
      ["#whats-new-in-c", "h-what-s-new-in-c"],
      ["#what-s-new-in-c", "h-what-s-new-in-c"],
      ["#h-what-s-new-in-c", "h-what-s-new-in-c"],
      ["#über-uns", "h-über-uns"],
      ["#%C3%BCber-uns", "h-über-uns"],
      ["#Über-Uns", "h-über-uns"],
      ["#notes", "h-notes"],
      ["#notes-1", "h-notes-2"],
      ["#h-notes-2", "h-notes-2"],
      ["#日本語-の本", "h-日本語-の本"]
    ]
    for (const [target, id] of targets) {
      const page = onPage(text(target))
      assert.include(page, `<a href="#${id}">a</a>`, target)
      assert.include(page, `id="${id}"`)
      const address = `${URL_OF_POST}#${encodeURIComponent(id)}`
      assert.strictEqual(hrefsIn(inFeed(text(target)))[0], address)
      assert.strictEqual(inTwin(text(target)), text(address))
    }
  })

  it("An image by an address that opens something else is a link with its description", () => {
    const rel = 'rel="nofollow ugc noopener"'
    assert.strictEqual(onPage("![pay](nano:nano_3abc)"), `<p><a href="nano:nano_3abc" ${rel}>pay</a></p>`)
    assert.strictEqual(onPage("![](tel:+1)"), `<p><a href="tel:+1" ${rel}>tel:+1</a></p>`)
    const linked = `<p><a href="https://b.test" ${rel}>mail</a></p>`
    assert.strictEqual(onPage("[![mail](mailto:a@b.test)](https://b.test)"), linked)
  })

  it("An address that no page shows is refused with its line and column, in every spelling", () => {
    const refused = [
      "javascript:alert(1)",
      "JaVaScRiPt:alert(1)",
      "javascript&colon;alert(1)",
      "java&Tab;script:alert(1)",
      " javascript:alert(1)",
      "vbscript:x",
      "data:text/html,x",
      "file:///etc",
      "ftp://a.test/x",
      "blob:https://a.test/1",
      "https:a.test",
      "https:/a.test",
      "localhost:8080/x",
      "C:/x"
    ]
    for (const url of refused) {
      const links = readMarkdown(`one\n\ntwo [a](<${url}>)`).unsupported
      assert.deepStrictEqual(links, [{ feature: "link_target", line: 3, column: 5 }], url)
      const images = readMarkdown(`![a](<${url}>)`).unsupported
      assert.deepStrictEqual(images, [{ feature: "image_target", line: 1, column: 1 }], url)
      const references = readMarkdown(`[a][r] ![b][r]\n\n[r]: <${url}>`).unsupported
      assert.deepStrictEqual(
        references.map(({ column, feature }) => `${feature} ${column}`),
        ["link_target 1", "image_target 8"],
        url
      )
    }
    for (const autolink of ["<ftp://a.test>", "<javascript:alert(1)>", "<made-up:x>"]) {
      assert.deepStrictEqual(readMarkdown(autolink).unsupported, [])
      assert.strictEqual(onPage(autolink), `<p>${autolink.slice(1, -1)}</p>`, "its address stays as text")
    }
    assert.deepStrictEqual(readMarkdown("[r]: javascript:alert(1)\n\n[//]: # (a comment)").unsupported, [])
  })

  it("A section that is accepted loses no link and no image", () => {
    const isAccepted = (source: string) => readMarkdown(source).unsupported.length === 0
    // The parser takes some of the addresses for text.
    const links = hostileUrls
      .map((url) => `[a](<${url}>)`)
      .filter((link) => toHtml(hastOf(rootOf(link))).includes("<a "))
    const lost = [
      ...links.filter((link) => isAccepted(link) && !onPage(link).includes("<a ")),
      ...links.filter((link) => isAccepted(`!${link}`) && !/<(?:img|a) /.test(onPage(`!${link}`)))
    ]
    assert.deepStrictEqual(lost, [])
  })
})

describe("the time that addresses take", () => {
  it("A long address is read and shown in linear time", () => {
    for (const filler of [" ", "%20", "&#9;", "a", ":", "&a", "#", "\\("]) {
      const source = `[a](<x${filler.repeat(40_000 / filler.length)}y>)\n\n# a`
      const began = performance.now()
      readMarkdown(source)
      onPage(source)
      inTwin(source)
      assert.isBelow(performance.now() - began, 3_000, filler)
    }
  })
})

describe("Markdown with absolute links", () => {
  it("A section without relative links stays as it is, without a parse", () => {
    for (const source of [
      "",
      "a [b](https://c.test) d",
      "[a](mailto:b@c.test)",
      "a ] (b) [c]\n\n[c]: http://d",
      "[a](  <HTTPS://b.test>)"
    ]) {
      assert.isFalse(mayBeRelative(source), source)
      assert.strictEqual(inTwin(source), source)
    }
  })

  it("Only the addresses change, wherever they stand", () => {
    const changes: ReadonlyArray<readonly [before: string, after: string]> = [
      ['> a [b](c "d")\n> e', '> a [b](https://press.test/@mara/c "d")\n> e'],
      ["- [a](<b c>)", "- [a](<https://press.test/@mara/b%20c>)"],
      ["| a |\n| - |\n| [b](c\\|d) |", "| a |\n| - |\n| [b](https://press.test/@mara/c%7Cd) |"],
      ["[a [b](c) d](e)", "[a [b](https://press.test/@mara/c) d](e)"],
      ["[![a](b)](c)", "[![a](https://press.test/@mara/b)](https://press.test/@mara/c)"],
      ["![a [b](c) d](e)", "![a [b](c) d](https://press.test/@mara/e)"],
      ["\uFEFF[a](b)", "\uFEFF[a](https://press.test/@mara/b)"],
      ["a\r\n\r\n[r]:\r\n  /b 'c'\r\n\r\n[r]", "a\r\n\r\n[r]:\r\n  https://press.test/b 'c'\r\n\r\n[r]"],
      ["[a](b(c)d)", "[a](https://press.test/@mara/b%28c%29d)"],
      ["[a](?b=1&amp;copy;=2)", "[a](https://press.test/@mara/nine-degrees?b=1&amp;copy;=2)"],
      ["`[a](b)` and \\[c](d)", "`[a](b)` and \\[c](d)"],
      ["```\n[a](b)\n```\n\n    [c](d)", "```\n[a](b)\n```\n\n    [c](d)"]
    ]
    for (const [before, after] of changes) assert.strictEqual(inTwin(before), after)
  })

  it("Any section keeps its words and its links", () => {
    const pieces = [
      ..."a [b](c) [d](/e) [f](<g h> 't') ![i](j) [k][r] [l](#m) [n](https://o.test) <https://p.test> ` * > - # | \\".split(
        " "
      ),
      ..." ;\n;\n\n;> ;- ;[r]: s\n;# m\n;| a |\n| - |\n;\r\n;    ".split(";")
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 25 }), (parts) => {
        const source = parts.join("")
        const twin = inTwin(source)
        assert.strictEqual(inFeed(twin), inFeed(source))
        assert.strictEqual(inTwin(twin), twin)
      }),
      { numRuns: soak(150, 3_000) }
    )
  })
})
