import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type {
  NativeDocument,
  NativeMark,
  NativeNode
} from "../../../../schemas/publishing/content/NativeDocument.ts"
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
    ["an image in a line goes", doc(p(t("a"), img("u"), t("b"))), doc(p(t("a"), t("b")))],
    ["a paragraph of it stays, empty", doc(p(img("u")), p(t("b"))), doc(empty, p(t("b")))],
    ["an image among blocks goes", doc(img("u"), p(t("b"))), doc(p(t("b")))],
    ["nothing else leaves an empty paragraph", doc(img("u")), doc(empty)],
    [
      "a quotation and an item may not be empty",
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
      "a link becomes its text",
      doc(p(t("a", bold, link("u")), t("b", link("u")))),
      doc(p(t("a", bold), t("b")))
    ],
    [
      "an image in a link goes, and other links stay",
      doc(p({ ...img("u"), marks: [link("x")] }, t("b", link("x")))),
      doc(p(t("b", link("x"))))
    ],
    ["an image in a link to it stays", doc(p({ ...img("x"), marks: [link("u")] })), doc(p(img("x")))],
    [
      "a node of an unknown type that shows it goes",
      doc({ type: "embed", attrs: { src: "u", width: 1 } }, p(t("b"))),
      doc(p(t("b")))
    ],
    [
      "another attribute of it is dropped, however deep",
      doc({ type: "video", attrs: { src: "x", poster: "u", sizes: [{ href: "u", width: 1 }, "u"] } }),
      doc({ type: "video", attrs: { src: "x", sizes: [{ width: 1 }] } })
    ],
    [
      "one that holds something stays, without it",
      doc({ type: "figure", attrs: { src: "u" }, content: [p(t("a"))] }),
      doc({ type: "figure", attrs: {}, content: [p(t("a"))] })
    ],
    [
      "one that held nothing else goes",
      doc({ type: "gallery", content: [img("u")] }, p(t("a"))),
      doc(p(t("a")))
    ],
    [
      "a mark of an unknown type goes",
      doc(p(t("a", { type: "preview", attrs: { image: "u" } }))),
      doc(p(t("a")))
    ]
  ]
  for (const [what, before, after] of removals) {
    it(what, () => {
      assert.strictEqual(JSON.stringify(nativeWithoutUrl(before, url)), JSON.stringify(after))
    })
  }

  it("is the same object where the URL is in no attribute", () => {
    const document = doc(p(t("u"), img("u2")), { type: "codeBlock", content: [t("![a](u)")] }, p())
    assert.strictEqual(nativeWithoutUrl(document, url), document)
  })

  it("of anything has it in no attribute, nor in an image of its Markdown, and the rest stays", () => {
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
