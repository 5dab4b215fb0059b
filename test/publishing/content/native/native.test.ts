import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { NativeDocument, type NativeNode } from "../../../../schemas/publishing/posts/NativeDocument.ts"
import { nativeOfMarkdown, readNative } from "../../../../src/publishing/content/native/readNative.ts"
import { soak } from "../../../support/soak.ts"
import { anyDocument } from "./anyDocument.ts"
import { nativeDocument } from "./nativeDocuments.ts"
import { doc, p, t, table } from "./nodes.ts"

const isDocument = Schema.is(NativeDocument)

describe("native content", () => {
  it("Content that Markdown can express survives native → Markdown → native", () => {
    fc.assert(
      fc.property(nativeDocument, (document) => {
        const { isTooComplex, markdown, unsupportedFeatures } = readNative(document)
        assert.isFalse(isTooComplex)
        assert.deepStrictEqual(unsupportedFeatures, [], markdown)
        assert.deepStrictEqual(nativeOfMarkdown(markdown), document, markdown)
      }),
      { numRuns: soak(150, 1_500) }
    )
  })

  it("Any native content is read without a throw, and editable only if it comes back the same", () => {
    fc.assert(
      fc.property(anyDocument, (document) => {
        assert.isTrue(isDocument(document))
        const { isTooComplex, markdown, unsupported, unsupportedFeatures } = readNative(document)
        assert.isFalse(isTooComplex)
        assert.deepStrictEqual(unsupported, [], markdown)
        for (const feature of unsupportedFeatures) assert.match(feature, /^[a-z0-9_]{1,64}$/)
        const again = readNative(nativeOfMarkdown(markdown))
        assert.deepStrictEqual(again.unsupportedFeatures, [], markdown)
      }),
      { numRuns: soak(150, 1_500) }
    )
  })

  const unsayable: ReadonlyArray<readonly [string, NativeDocument, ReadonlyArray<string>]> = [
    ["a video", doc({ type: "youtube", attrs: { src: "https://a.test" } }), ["youtube"]],
    ["a node of a name with a hyphen", doc({ type: "call-out", content: [p(t("a"))] }), ["call_out"]],
    ["a colour", doc(p(t("a", "textStyle"))), ["text_style"]],
    ["an aligned paragraph", doc({ ...p(t("a")), attrs: { textAlign: "right" } }), ["paragraph_text_align"]],
    ["a wide image", doc(p({ type: "image", attrs: { src: "a", width: 640 } })), ["image_width"]],
    [
      "a heading of level 7",
      doc({ type: "heading", attrs: { level: 7 }, content: [t("a")] }),
      ["heading_level"]
    ],
    [
      "a task list",
      doc({
        type: "taskList",
        content: [{ type: "taskItem", attrs: { checked: true }, content: [p(t("a"))] }]
      }),
      ["task_list"]
    ],
    [
      "a list that begins below zero",
      doc({
        type: "orderedList",
        attrs: { start: -1 },
        content: [{ type: "listItem", content: [p(t("a"))] }]
      }),
      ["ordered_list_start"]
    ],
    ["an image in a cell", table([[p({ type: "image", attrs: { src: "a" } })]]), ["table_cell_image"]],
    ["padded code in a cell", table([[p(t(" a", "code"))]]), ["table_cell_code_whitespace"]],
    ["code with an escaped pipe in a cell", table([[p(t("a\\|b", "code"))]]), ["structure"]],
    [
      "a row that is longer than the header",
      table([[p(t("a"))], [p(t("b")), p(t("c"))]]),
      ["table_row_too_long"]
    ],
    ["a cell of two columns", table([[p(t("a"))]], { colspan: 2 }), ["table_header_colspan"]],
    [
      "a list in a cell",
      table([[{ type: "bulletList", content: [{ type: "listItem", content: [p(t("a"))] }] }]]),
      ["structure"]
    ],
    [
      "two paragraphs in a cell",
      doc({
        type: "table",
        content: [{ type: "tableRow", content: [{ type: "tableHeader", content: [p(t("a")), p(t("b"))] }] }]
      }),
      ["structure"]
    ],
    ["a line end in a paragraph", doc(p(t("a\nb"))), ["structure"]],
    ["code with bold text", doc({ type: "codeBlock", content: [t("a", "bold")] }), ["structure"]],
    ["text outside of a paragraph", doc(t("a")), ["structure"]]
  ]
  for (const [what, document, features] of unsayable) {
    it(`Content with ${what} cannot be written as Markdown: ${features.join(", ")}`, () => {
      assert.isTrue(isDocument(document))
      assert.deepStrictEqual(readNative(document).unsupportedFeatures, features)
    })
  }

  const silent: ReadonlyArray<readonly [string, NativeDocument]> = [
    ["nothing", doc()],
    ["empty paragraphs", doc({ type: "paragraph" }, p(t("a")), { type: "paragraph", content: [] })],
    ["attributes that are not set", doc({ ...p(t("a")), attrs: { textAlign: null } })],
    ["texts of equal marks beside each other", doc(p(t("a", "bold"), t("b", "bold"), t("c")))],
    ["marks in another order", doc(p(t("a", "italic", "bold")))],
    [
      "how an editor opens links",
      doc(
        p({
          type: "text",
          text: "a",
          marks: [{ type: "link", attrs: { href: "/a", target: "_blank", rel: "noopener", class: null } }]
        })
      )
    ],
    ["cells of one column", table([[p(t("a"))]], { colspan: 1, rowspan: 1, colwidth: null })]
  ]
  for (const [what, document] of silent) {
    it(`Content with ${what} can be written as Markdown`, () => {
      assert.isTrue(isDocument(document))
      assert.deepStrictEqual(readNative(document).unsupportedFeatures, [])
    })
  }

  it("Content that Markdown cannot express is shown as text", () => {
    const shown = (...content: ReadonlyArray<NativeNode>) => readNative(doc(...content)).markdown
    assert.strictEqual(shown({ type: "callout", content: [p(t("a", "colour"))] }), "a\n")
    assert.strictEqual(shown({ type: "youtube", attrs: { src: "https://a.test/v" } }), "<https://a.test/v>\n")
    assert.strictEqual(shown({ type: "divider" }), "\\[divider]\n")
    assert.strictEqual(shown({ type: "math", content: [t("x < y")] }), "x < y\n")
  })
})

describe("Markdown of native content", () => {
  const written: ReadonlyArray<readonly [string, NativeDocument, string]> = [
    [
      "bold, italic, struck, underlined text and code",
      doc(
        p(
          t("a", "bold"),
          t(" "),
          t("b", "italic"),
          t(" "),
          t("c", "strike"),
          t(" "),
          t("d", "underline"),
          t(" "),
          t("e", "code")
        )
      ),
      "**a** *b* ~~c~~ ++d++ `e`\n"
    ],
    ["a hard break", doc(p(t("a"), { type: "hardBreak" }, t("b"))), "a\\\nb\n"],
    ["tag-like text", doc(p(t("<b> and <block hash>"))), "\\<b> and \\<block hash>\n"],
    ["C++", doc(p(t("C++ and C++"))), "C++ and C++\n"],
    ["a cell with a pipe", table([[p(t("a|b"))]]), "| a\\|b |\n| - |\n"],
    [
      "nested lists",
      doc({
        type: "bulletList",
        content: [
          {
            type: "listItem",
            content: [
              p(t("a")),
              {
                type: "orderedList",
                attrs: { start: 3 },
                content: [{ type: "listItem", content: [p(t("b"))] }]
              }
            ]
          }
        ]
      }),
      "- a\n\n  3. b\n"
    ]
  ]
  for (const [what, document, markdown] of written) {
    it(`Native content of ${what} becomes ${JSON.stringify(markdown)}`, () => {
      assert.deepStrictEqual(readNative(document).markdown, markdown)
    })
  }
})
