import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type {
  NativeDocument,
  NativeMark,
  NativeNode
} from "../../../../schemas/publishing/posts/NativeDocument.ts"
import { readNative } from "../../../../src/publishing/content/native/readNative.ts"
import { nativeWithoutUrl } from "../../../../src/publishing/content/removal/nativeWithoutUrl.ts"
import { nativeDocument } from "../native/nativeDocuments.ts"
import { attrsIn, referencesTo, urlsIn } from "./urlReferences.ts"

const url = "u"

const doc = (...content: ReadonlyArray<NativeNode>): NativeDocument => ({ type: "doc", content })
const p = (...content: ReadonlyArray<NativeNode>): NativeNode => ({ type: "paragraph", content })
const t = (text: string, ...marks: ReadonlyArray<NativeMark>): NativeNode => ({
  type: "text",
  ...(marks.length === 0 ? {} : { marks }),
  text
})
const img = (src: string): NativeNode => ({ type: "image", attrs: { src, alt: "a" } })
const link = (href: string): NativeMark => ({ type: "link", attrs: { href } })
const bold: NativeMark = { type: "bold" }
const empty: NativeNode = { type: "paragraph" }

describe("a native document without a URL", () => {
  const removals: ReadonlyArray<readonly [what: string, before: NativeDocument, after: NativeDocument]> = [
    ["An image in a line goes", doc(p(t("a"), img("u"), t("b"))), doc(p(t("a"), t("b")))],
    ["A paragraph of the image stays, empty", doc(p(img("u")), p(t("b"))), doc(empty, p(t("b")))],
    ["An image among blocks goes", doc(img("u"), p(t("b"))), doc(p(t("b")))],
    ["A document of only the image becomes an empty paragraph", doc(img("u")), doc(empty)],
    [
      "A quotation and an item keep an empty paragraph",
      doc(
        { type: "blockquote", content: [img("u")] },
        { type: "bulletList", content: [{ type: "listItem", content: [img("u")] }] }
      ),
      doc(
        { type: "blockquote", content: [empty] },
        { type: "bulletList", content: [{ type: "listItem", content: [empty] }] }
      )
    ],
    [
      "A link becomes its text",
      doc(p(t("a", bold, link("u")), t("b", link("u")))),
      doc(p(t("a", bold), t("b")))
    ],
    [
      "An image in a link goes, and other links stay",
      doc(p({ ...img("u"), marks: [link("x")] }, t("b", link("x")))),
      doc(p(t("b", link("x"))))
    ],
    ["An image in a link to the URL stays", doc(p({ ...img("x"), marks: [link("u")] })), doc(p(img("x")))],
    [
      "A node of an unknown type that shows the URL goes",
      doc({ type: "embed", attrs: { src: "u", width: 1 } }, p(t("b"))),
      doc(p(t("b")))
    ],
    [
      "Another attribute with the URL is dropped at any depth",
      doc({ type: "video", attrs: { src: "x", poster: "u", sizes: [{ href: "u", width: 1 }, "u"] } }),
      doc({ type: "video", attrs: { src: "x", sizes: [{ width: 1 }] } })
    ],
    [
      "A node with content stays without the URL",
      doc({ type: "figure", attrs: { src: "u" }, content: [p(t("a"))] }),
      doc({ type: "figure", attrs: {}, content: [p(t("a"))] })
    ],
    [
      "A node that held only the image goes",
      doc({ type: "gallery", content: [img("u")] }, p(t("a"))),
      doc(p(t("a")))
    ],
    [
      "A mark of an unknown type goes",
      doc(p(t("a", { type: "preview", attrs: { image: "u" } }))),
      doc(p(t("a")))
    ]
  ]
  for (const [what, before, after] of removals) {
    it(what, () => {
      assert.strictEqual(JSON.stringify(nativeWithoutUrl(before, url)), JSON.stringify(after))
    })
  }

  it("A document without the URL in an attribute stays the same object", () => {
    const document = doc(p(t("u"), img("u2")), { type: "codeBlock", content: [t("![a](u)")] }, p())
    assert.strictEqual(nativeWithoutUrl(document, url), document)
  })

  it("A removal takes the URL from every attribute and image, and the rest stays", () => {
    fc.assert(
      fc.property(nativeDocument, fc.nat(), (document, n) => {
        const urls = urlsIn(document)
        fc.pre(urls.length > 0)
        const url = urls[n % urls.length] ?? ""
        const result = nativeWithoutUrl(document, url)
        assert.notInclude(attrsIn(result), url)
        assert.strictEqual(referencesTo(readNative(result).markdown, url), 0)
        assert.strictEqual(nativeWithoutUrl(result, url), result)
      }),
      { numRuns: 100 }
    )
  })
})
