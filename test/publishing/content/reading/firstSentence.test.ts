import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { NativeDocument } from "../../../../schemas/publishing/posts/NativeDocument.ts"
import { nativeOfMarkdown } from "../../../../src/publishing/content/native/readNative.ts"
import { beginningOf, firstSentenceOf } from "../../../../src/publishing/content/reading/firstSentence.ts"

const paragraph = (text: string) => ({ type: "paragraph", content: [{ type: "text", text }] })

const documentOf = (...content: NativeDocument["content"]): NativeDocument => ({ type: "doc", content })

describe("the first sentence of a text", () => {
  it("A title and code are no sentences, and a quotation has some", () => {
    const document = documentOf(
      { type: "heading", content: [{ type: "text", text: "A title. Really" }] },
      { type: "codeBlock", content: [{ type: "text", text: "let a = 1." }] },
      { type: "blockquote", content: [paragraph("It leans.  It stays.")] },
      paragraph("More.")
    )
    assert.strictEqual(firstSentenceOf(document, "en"), "It leans.")
  })

  it("A footnote is no sentence, and its reference no word of one, however far away it stands", () => {
    const sentenceOf = (source: string) => firstSentenceOf(nativeOfMarkdown(beginningOf(source)), "en")
    assert.strictEqual(sentenceOf("[^1]: A note.\n\nIt leans[^1] far. More."), "It leans far.")
    const far = `It leans[^1][^far] far. ${"More. ".repeat(2_000)}\n\n[^far]: A note.\n\n    More of it.`
    assert.strictEqual(sentenceOf(far), "It leans[^1] far.")
  })

  it("Sentences end as they do in the language of the text, of any tag", () => {
    assert.strictEqual(firstSentenceOf(documentOf(paragraph("橋が傾く。人は渡る。")), "ja"), "橋が傾く。")
    assert.strictEqual(firstSentenceOf(documentOf(paragraph("One. Two.")), "no language"), "One.")
    assert.strictEqual(firstSentenceOf(documentOf(), "en"), "")
  })

  it("No sentence is longer than a description, or cuts a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 900 }), (text) => {
        const sentence = firstSentenceOf(documentOf(paragraph(text)), "en")
        assert.isAtMost([...sentence].length, 301)
        assert.isTrue(sentence.isWellFormed())
      })
    )
  })
})
