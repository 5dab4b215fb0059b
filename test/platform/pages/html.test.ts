import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { parseFragment } from "parse5"
import { type Hole, html as tag, jsonLd, safeUrl, trusted } from "../../../src/platform/pages/html.ts"
import { soak } from "../../support/soak.ts"

/** The elements and attributes of a document, without its texts and values. */
const shapeOf = (text: string) => {
  const shape: Array<string> = []
  const visit = (node: any) => {
    if (node.tagName !== undefined)
      shape.push(`${node.tagName} ${node.attrs.map((it: any) => it.name).join(" ")}`)
    if (node.nodeName === "#comment") shape.push("comment")
    for (const child of node.childNodes ?? []) visit(child)
  }
  visit(parseFragment(text))
  return shape
}

const textsOf = (text: string) => {
  const found: Array<string> = []
  const visit = (node: any) => {
    if (node.nodeName === "#text") found.push(node.value)
    for (const { value } of node.attrs ?? []) found.push(value)
    for (const child of node.childNodes ?? []) visit(child)
  }
  visit(parseFragment(text))
  return found
}

const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(
      fc.constantFrom(
        ..."<>&\"'`=/ \n".split(""),
        "<script>alert(1)</script>",
        "</p>",
        "<!--",
        "-->",
        "]]>",
        "javascript:",
        "&lt;",
        "onerror=x",
        "</title>",
        "a"
      )
    )
    .map((parts) => parts.join(""))
)

// Browsers read these as other characters, wherever they stand.
const read = (text: string) =>
  text
    .replaceAll("\r\n", "\n")
    .replaceAll("\r", "\n")
    .replaceAll(/[\0\ufffd]/g, "")

const page = (text: Hole, value: string, url: string) =>
  tag`<article title="${value}" lang="${value}">
    <p>${text}</p>
    <a href="${url}" data-x="a ${value} b">${text}</a><title>${text}</title>
  </article>`

describe("html", () => {
  it("No text changes the tree", () => {
    const expected = shapeOf(page("x", "x", "/x").toString())
    fc.assert(
      fc.property(hostile, hostile, hostile, (text, value, url) => {
        assert.deepStrictEqual(shapeOf(page(`x${text}`, value, url).toString()), expected)
      }),
      { numRuns: soak(300, 20_000) }
    )
  })

  it("Texts and values are read as they were written", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const [value, said] = textsOf(tag`<p title="${text}">x${text}</p>`.toString())
        assert.deepStrictEqual(
          [value, said].map((it) => read(it!)),
          [text, `x${text}`].map(read)
        )
      }),
      { numRuns: soak(300, 20_000) }
    )
  })

  it("A URL opens a page, a mail or a wallet, and runs nothing", () => {
    const schemes = fc.constantFrom(
      "javascript",
      "JavaScript",
      "data",
      "vbscript",
      "blob",
      "file",
      "http",
      "nano"
    )
    const noise = fc.constantFrom("", " ", "\t", "\n", "\u0000", "\u0001", "\u00a0")
    fc.assert(
      fc.property(noise, schemes, noise, noise, hostile, (before, scheme, within, after, rest) => {
        const written = `${before}${scheme.slice(0, 2)}${within}${scheme.slice(2)}${after}:${rest}`
        const href = textsOf(tag`<a href="${written}">x</a>`.toString())[0]!
        const opened = URL.canParse(href, "https://press.test/")
          ? new URL(href, "https://press.test/").protocol
          : ""
        assert.include(["http:", "https:", "mailto:", "nano:", ""], opened, JSON.stringify(written))
      }),
      { numRuns: soak(300, 20_000) }
    )
    for (const url of [
      "/a",
      "a",
      "?q=1",
      "#x",
      "//cdn.test/x",
      "https://a.test",
      "nano:nano_1?amount=1",
      "mailto:a@b"
    ])
      assert.strictEqual(safeUrl(url), url)
    for (const url of ["javascript:1", " java\nscript:1", "data:text/html,x", "\u0001javascript:1", "a b:c"])
      assert.strictEqual(safeUrl(url), "#")
  })

  it("Holes without a value are left out, lists are joined, and HTML stays", () => {
    const list = [tag`<b>1</b>`, "<", null, undefined, false, 2] as const
    assert.strictEqual(
      tag`<p>${list}${trusted("<i>&amp;</i>")}</p>`.toString(),
      "<p><b>1</b>&lt;2<i>&amp;</i></p>"
    )
    assert.strictEqual(tag`<p title="${null}${false}${undefined}${3}"></p>`.toString(), '<p title="3"></p>')
  })

  const value: Hole = "x"
  const refused: Readonly<Record<string, () => unknown>> = {
    "an unquoted value": () => tag`<p title=${value}></p>`,
    "a value in single quotes": () => tag`<p title='${value}'></p>`,
    "the name of a tag": () => tag`<${value}>`,
    "the name of an end": () => tag`</${value}>`,
    "the name of an attribute": () => tag`<p ${value}></p>`,
    "the rest of a name": () => tag`<p data-${value}="1"></p>`,
    "a comment": () => tag`<!-- ${value} -->`,
    "a script": () => tag`<script>${value}</script>`,
    "a script with attributes": () => tag`<script type="module">a<b;${value}</script>`,
    "a style": () => tag`<STYLE>${value}</STYLE>`,
    "a handler": () => tag`<p onclick="${value}"></p>`,
    "a style attribute": () => tag`<p STYLE="${value}"></p>`,
    srcdoc: () => tag`<iframe srcdoc="${value}"></iframe>`,
    "a frame": () => tag`<iframe>${value}</iframe>`,
    "the rest of a scheme": () => tag`<a href="${value}${value}"></a>`,
    "the rest of a scheme, apart": () => tag`<a href="${value}:${value}"></a>`,
    "HTML within a value": () => tag`<p title="${tag`x`}"></p>`,
    "a list within a value": () => tag`<p title="${[value]}"></p>`
  }
  for (const [place, render] of Object.entries(refused)) {
    it(`A hole in ${place} is refused`, () => {
      assert.throws(render, TypeError)
    })
  }

  it("Holes may come after comments, scripts and single quotes of the template", () => {
    assert.strictEqual(
      tag`<!-- <p> --><script>a</script><p class='a"b' hidden>${value}<br/>${value}</p><a href="/x/${value}?${value}">`.toString(),
      `<!-- <p> --><script>a</script><p class='a"b' hidden>x<br/>x</p><a href="/x/x?x">`
    )
  })

  it("The indentation of a template is left out, but not that of a text", () => {
    assert.strictEqual(
      tag`<p>
        a ${" \n  b"}
      </p>`.toString(),
      "<p>\na  \n  b\n</p>"
    )
  })

  it("Values other than text are mistakes that the compiler finds", () => {
    // @ts-expect-error An object has no text of its own.
    const object: Hole = { a: 1 }
    // @ts-expect-error Nor has a date.
    const date: Hole = new Date(0)
    assert.isDefined([object, date])
  })

  it("Linked data is one element with any texts", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const made = jsonLd({ text }).toString()
        assert.deepStrictEqual(shapeOf(made), ["script type"])
        assert.deepStrictEqual(JSON.parse(textsOf(made)[1]!), { text })
      }),
      { numRuns: soak(200, 5_000) }
    )
  })
})
