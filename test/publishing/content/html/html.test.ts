import { isDeepStrictEqual } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { parse, serialize } from "parse5"
import { renderHtml } from "../../../../src/publishing/content/html/renderHtml.ts"
import { htmlOf } from "../../../../src/publishing/content/html/safeHtml.ts"
import { readMarkdown } from "../../../../src/publishing/content/reading/readMarkdown.ts"
import { soak } from "../../../support/soak.ts"
import { elementsIn, fromParsed, type HtmlElement, type HtmlTree, rootOf } from "../rendering.ts"
import { hostileHtml, hostileUrls, places } from "./hostileHtml.ts"

const render = (source: string) => htmlOf(rootOf(source))

const ELEMENTS = new Set(
  "p h1 h2 h3 h4 h5 h6 blockquote ul ol li pre code hr br img table thead tbody tr th td a strong em del u sup figure figcaption".split(
    " "
  )
)

const isAlign = (value: string) => ["left", "center", "right"].includes(value)

/** Returns true for an absolute URL of one of these schemes, on every page. */
const isUrlOf =
  (...schemes: ReadonlyArray<string>) =>
  (url: string) =>
    [undefined, "https://pennypress.test/posts/", "ftp://a.test/"]
      .map((base) => (URL.canParse(url, base) ? new URL(url, base).protocol : "none:"))
      .every(
        (protocol, _, [alone]) =>
          protocol === alone && (protocol === "none:" || schemes.includes(protocol.slice(0, -1)))
      ) && schemes.some((scheme) => url.startsWith(`${scheme}:`))

/** The attributes of each element, with their allowed values. */
const ATTRIBUTES: Readonly<Record<string, Readonly<Record<string, (value: string) => boolean>>>> = {
  a: {
    href: isUrlOf("http", "https", "mailto", "tel", "nano"),
    title: () => true,
    rel: (rel) => rel === "nofollow ugc noopener"
  },
  img: { src: isUrlOf("http", "https"), alt: () => true, title: () => true },
  ol: { start: (start) => /^\d{1,9}$/.test(start), class: (name) => name === "notes" },
  th: { align: isAlign },
  td: { align: isAlign },
  code: { class: (name) => /^language-[^\t\n\f\r ]*$/.test(name) }
}

const dangersOf = ({ attributes, name }: HtmlElement): ReadonlyArray<string> => [
  ...(ELEMENTS.has(name) ? [] : [name]),
  ...(name === "img" && attributes["src"] === undefined ? ["img without src"] : []),
  ...(name === "a" && (attributes["href"] === undefined || attributes["rel"] === undefined)
    ? ["a without href or rel"]
    : []),
  ...Object.entries(attributes)
    .filter(([attribute, value]) => ATTRIBUTES[name]?.[attribute]?.(value) !== true)
    .map(([attribute, value]) => `${name} ${attribute}=${value}`)
]

/** Parses a page as a browser does. */
const pageOf = (html: string) => {
  const document = parse(html)
  return { children: document.childNodes.map(fromParsed), html: serialize(document) }
}

const element = (name: string, ...children: ReadonlyArray<HtmlTree>): HtmlTree => ({
  name,
  attributes: {},
  children
})

/** Returns everything in a section's HTML beyond the elements of Markdown, as a page and after a round trip. */
const dangersIn = (rendering: string): ReadonlyArray<string> => {
  const { children, html } = pageOf(`<!doctype html><article>${rendering}</article><footer>after</footer>`)
  const article = elementsIn(children).find(({ name }) => name === "article")?.children ?? []
  const expected = [
    element("#documentType"),
    element(
      "html",
      element("head"),
      element("body", element("article", ...article), element("footer", "after"))
    )
  ]
  return [
    ...elementsIn(article).flatMap(dangersOf),
    ...(isDeepStrictEqual(children, expected) ? [] : ["another page"]),
    ...(isDeepStrictEqual(children, pageOf(html).children) ? [] : ["another page when written again"])
  ].map((danger) => `${danger} in ${JSON.stringify(rendering)}`)
}

describe("the HTML of a hostile section", () => {
  for (const [name, put] of places) {
    it(`A section with hostile HTML ${name} is safe`, () => {
      assert.deepStrictEqual(
        hostileHtml.flatMap((hostile) => dangersIn(render(put(hostile)))),
        []
      )
    })

    it(`A section with hostile URLs ${name} is safe`, () => {
      assert.deepStrictEqual(
        hostileUrls.flatMap((hostile) => dangersIn(render(put(hostile)))),
        []
      )
    })
  }

  it("The check finds the hostile sources themselves dangerous", () => {
    const harmless = hostileHtml.filter((hostile) => dangersIn(hostile).length === 0)
    assert.isBelow(harmless.length, 20, harmless.join("\n"))
    for (const url of ["javascript:x", "data:x", "//a.test", "/x", "java\tscript:x", "ftp://a.test", ""]) {
      assert.isNotEmpty(dangersIn(`<a href="${url}" rel="nofollow ugc noopener">x</a>`), url)
      assert.isNotEmpty(dangersIn(`<img src="${url}">`), url)
    }
  })

  it("A section links only to the web, to mail and to telephones", () => {
    const linked = hostileUrls.filter((url) => /<(?:a|img) /.test(render(`[x](<${url}>) ![x](<${url}>)`)))
    assert.deepStrictEqual(
      linked.filter((url) => !/^(?:https?(?::|&colon;)(?:\/|&sol;){2}|mailto:|tel:)/.test(url)),
      []
    )
    assert.isAbove(linked.length, 10)
  })

  it("Any mixture of Markdown and hostile pieces is safe", () => {
    const markdown = [
      ..."# > - 1. * _ ~~ ++ ` ``` | [ ] ( ) ! ![ ]( < > \" ' & \\ : [x]: [^ [^x]: - [ ] |-| --- &lt; &#60; &#0;".split(
        " "
      ),
      " ",
      "    ",
      "\n",
      "\n\n",
      "\r",
      "\t",
      "\0",
      "https://a.test/",
      "mailto:"
    ]
    const piece = fc.oneof(
      { arbitrary: fc.constantFrom(...markdown), weight: 6 },
      { arbitrary: fc.constantFrom(...hostileHtml), weight: 2 },
      { arbitrary: fc.constantFrom(...hostileUrls), weight: 2 },
      { arbitrary: fc.string({ unit: "binary", maxLength: 4 }), weight: 1 }
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        assert.deepStrictEqual(dangersIn(render(pieces.join(""))), [])
      }),
      { numRuns: soak(300, 3_000) }
    )
  })
})

const rendered: ReadonlyArray<readonly [what: string, source: string, html: string]> = [
  ["headings", "# a\n\nb\n---", "<h1>a</h1>\n<h2>b</h2>"],
  [
    "spans",
    "**a** *b* ~~c~~ ++d++ `e`",
    "<p><strong>a</strong> <em>b</em> <del>c</del> <u>d</u> <code>e</code></p>"
  ],
  ["spans within each other", "++a **b ~~c~~**++", "<p><u>a <strong>b <del>c</del></strong></u></p>"],
  [
    "a link",
    '[a](https://a.test/?b&c "t")',
    '<p><a href="https://a.test/?b&#x26;c" title="t" rel="nofollow ugc noopener">a</a></p>'
  ],
  [
    "a link to mail",
    "<a@b.test>",
    '<p><a href="mailto:a@b.test" rel="nofollow ugc noopener">a@b.test</a></p>'
  ],
  [
    "a link whose scheme is in capitals",
    "<HTTPS://A.test>",
    '<p><a href="https://A.test" rel="nofollow ugc noopener">HTTPS://A.test</a></p>'
  ],
  [
    "a reference",
    "[a]\n\n[a]: http://a.test",
    '<p><a href="http://a.test" rel="nofollow ugc noopener">a</a></p>'
  ],
  ["a relative link as its text, where its Post is unknown", "a [*b* c](/x) d", "<p>a <em>b</em> c d</p>"],
  [
    "an image with words beside it",
    '![a *b*](https://a.test/b.png "t") c',
    '<p><img src="https://a.test/b.png" alt="a b" title="t"> c</p>'
  ],
  [
    "an image with its caption",
    '![a *b*](https://a.test/b.png "*t* <b>")',
    '<figure><img src="https://a.test/b.png" alt="a b">\n<figcaption>*t* &#x3C;b></figcaption></figure>'
  ],
  [
    "an image whose scheme is in capitals",
    "![a](HTTP://a.test/b.png)",
    '<p><img src="http://a.test/b.png" alt="a"></p>'
  ],
  ["an image from elsewhere as its description", "![a <b](data:image/png,x)", "<p>a &#x3C;b</p>"],
  [
    "a linked image",
    "[![a](https://a.test/b)](https://c.test)",
    '<p><a href="https://c.test" rel="nofollow ugc noopener"><img src="https://a.test/b" alt="a"></a></p>'
  ],
  ["a quotation", "> a", "<blockquote>\n<p>a</p>\n</blockquote>"],
  ["a list", "- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"],
  ["a list from a number", "3. a", '<ol start="3">\n<li>a</li>\n</ol>'],
  ["code", "```js x\na < b\n```", '<pre><code class="language-js">a &#x3C; b\n</code></pre>'],
  ["code of no language", "    a", "<pre><code>a\n</code></pre>"],
  ["breaks", "a\\\nb<br>c", "<p>a<br>\nb<br>\nc</p>"],
  ["a thematic break", "***", "<hr>"],
  [
    "a table",
    "|a|b|c|d|\n|-|:-|:-:|-:|\n|1|2|3|4|",
    '<table>\n<thead>\n<tr>\n<th>a</th>\n<th align="left">b</th>\n<th align="center">c</th>\n<th align="right">d</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td align="left">2</td>\n<td align="center">3</td>\n<td align="right">4</td>\n</tr>\n</tbody>\n</table>'
  ],
  ["tag-like text", "send <block hash>", "<p>send &#x3C;block hash></p>"],
  ["HTML as its text", "<div>\n\na <i>b</i>", "<p>&#x3C;div></p>\n<p>a &#x3C;i>b&#x3C;/i></p>"],
  [
    "a footnote at its end",
    "a[^1]\n\n[^1]: b\n\nc",
    '<p>a<sup>1</sup></p>\n<p>c</p>\n<ol class="notes">\n<li>\n<p>b</p>\n</li>\n</ol>'
  ],
  ["a reference without a footnote as its text", "a[^1]", "<p>a[^1]</p>"],
  ["no footnote without a reference", "a\n\n[^1]: b", "<p>a</p>"],
  [
    "a bare address",
    "a https://a.test/b.",
    '<p>a <a href="https://a.test/b" rel="nofollow ugc noopener">https://a.test/b</a>.</p>'
  ]
]

describe("the HTML of a section", () => {
  for (const [what, source, html] of rendered) {
    it(`The HTML has ${what}`, () => {
      assert.strictEqual(render(source), html)
    })
  }
})

describe("the HTML of a section", () => {
  it("The HTML of a section is that of its Markdown", () => {
    assert.strictEqual(renderHtml("++a++ **b**"), "<p><u>a</u> <strong>b</strong></p>")
    assert.strictEqual(renderHtml(""), "")
  })

  it("A section that is too complex is shown as its text", () => {
    const source = "[".repeat(3000) + "<b>" + "](c)".repeat(3000)
    assert.isTrue(readMarkdown(source).isTooComplex)
    assert.strictEqual(renderHtml(source), `<p>${source.replace("<", "&#x3C;")}</p>`)
  })

  it("Markdown that nests as deeply as can be read has HTML", () => {
    for (const [depth, piece] of [
      [490, ">"],
      [240, "- "],
      [249, "> "]
    ] as const) {
      const source = `${piece.repeat(depth)}a`
      assert.isFalse(readMarkdown(source).isTooComplex)
      assert.include(renderHtml(source), "a")
    }
  })
})
