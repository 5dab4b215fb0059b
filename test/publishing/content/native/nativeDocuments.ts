import * as fc from "fast-check"
import type {
  NativeDocument,
  NativeMark,
  NativeNode
} from "../../../../schemas/publishing/posts/NativeDocument.ts"
import { isShownTarget } from "../../../../src/publishing/content/html/targets.ts"

type Children = ReadonlyArray<NativeNode>

export const MARKS: ReadonlyArray<NativeMark> = [
  { type: "bold" },
  { type: "italic" },
  { type: "strike" },
  { type: "underline" },
  { type: "code" }
]
const ORDER = ["link", "bold", "italic", "strike", "underline", "code"]

const inOrder = (marks: ReadonlyArray<NativeMark>) =>
  marks.toSorted((a, b) => ORDER.indexOf(a.type) - ORDER.indexOf(b.type))

/** Words, and marks of Markdown in any place. */
const pieces = [
  ..."word Wörter 語 🐈 a 1. - + * _ ~ ` # > | \\ < > & ! [ ] ( ) { } : ; / . , ++ ~~ ** __ ``` --- === 12) &amp; http://a.test https://a.test/b?c=d&e= www.a.test".split(
    " "
  ),
  " ",
  "  ",
  "\t",
  "<br>",
  "<b>",
  "<!--",
  "[x]",
  "[^1]",
  "![a](b)",
  "a@b.test",
  "\u00a0"
]

export const words = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ minLength: 1, maxLength: 3, unit: "grapheme" })), {
    minLength: 1,
    maxLength: 8
  })
  .map((them) => them.join("").replaceAll(/[\r\n\0]/g, "x"))

const url = fc.oneof(
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.constantFrom(
    "https://a.test/a b",
    "https://a.test/(",
    "/path",
    "#id",
    "mailto:a@b.test",
    "a<b>c",
    "a\\b&amp;",
    ""
  ),
  // No page shows an address with an unknown scheme, such as `word:word`.
  words.filter(isShownTarget)
)
const title = fc.option(words, { nil: null })

export const link = fc
  .tuple(url, title)
  .map(([href, title]): NativeMark => ({ type: "link", attrs: { href, title } }))

const marks = fc
  .tuple(fc.subarray([...MARKS], { maxLength: 3 }), fc.option(link, { nil: undefined, freq: 4 }))
  .map(([spans, link]) => inOrder(link === undefined ? spans : [link, ...spans]))

const marked = (node: NativeNode, marks: ReadonlyArray<NativeMark>): NativeNode =>
  marks.length === 0 ? node : { ...node, marks }

const textNode = (text: string, marks: ReadonlyArray<NativeMark>): NativeNode => ({
  ...marked({ type: "text" }, marks),
  text
})

const text = fc.tuple(words, marks).map(([text, marks]) => {
  const isCode = marks.some(({ type }) => type === "code")
  return textNode(isCode ? text.trim() || "x" : text, marks)
})

const notCode = (marks: ReadonlyArray<NativeMark>) => marks.filter(({ type }) => type !== "code")

const image = fc
  .tuple(url, title, title, marks)
  .map(([src, alt, title, marks]) => marked({ type: "image", attrs: { src, alt, title } }, notCode(marks)))

const hardBreak = marks.map((marks) => marked({ type: "hardBreak" }, notCode(marks)))

/** Joins adjacent texts of equal marks, as editors do. */
const joined = (nodes: Children): Children => {
  const result: Array<NativeNode> = []
  for (const node of nodes) {
    const last = result.at(-1)
    const isSame = JSON.stringify(last?.marks) === JSON.stringify(node.marks)
    if (last?.text !== undefined && node.text !== undefined && isSame) {
      result[result.length - 1] = { ...last, text: last.text + node.text }
    } else result.push(node)
  }
  return result
}

const inlineOf = (...kinds: ReadonlyArray<fc.Arbitrary<NativeNode>>) =>
  fc.array(fc.oneof({ arbitrary: text, weight: 4 }, ...kinds), { minLength: 1, maxLength: 5 }).map(joined)

const label = fc.constantFrom("1", "note", "Ünï_c-ö.d", "a b", "]|&", "語")

const inline = inlineOf(image, hardBreak)
/** In a cell, code cannot have an escaped pipe. */
const cellInline = inlineOf(hardBreak).filter(
  (nodes) => !nodes.some(({ text }) => text?.includes("\\|") === true)
)

const paragraph = inline.map((content): NativeNode => ({ type: "paragraph", content }))

const heading = fc
  .tuple(fc.integer({ min: 1, max: 6 }), inline)
  .map(([level, content]): NativeNode => ({ type: "heading", attrs: { level }, content }))

const codeBlockOf = (language: string | null, text: string): NativeNode => ({
  type: "codeBlock",
  attrs: { language },
  ...(text === "" ? {} : { content: [{ type: "text", text }] })
})

const codeBlock = fc
  .tuple(
    fc.option(fc.constantFrom("js", "c++", "a`b", "x&y"), { nil: null }),
    fc.array(words, { maxLength: 3 })
  )
  .map(([language, lines]) => codeBlockOf(language, lines.join("\n")))

const rule = fc.constant<NativeNode>({ type: "horizontalRule" })

const align = fc.constantFrom("left", "center", "right", null)

const table = fc.array(align, { minLength: 1, maxLength: 3 }).chain((aligns) => {
  const cell = (type: string, align: string | null) =>
    fc.option(cellInline, { nil: undefined }).map((content): NativeNode => ({
      type,
      attrs: { align },
      content: [{ type: "paragraph", ...(content === undefined ? {} : { content }) }]
    }))
  const row = (type: string) =>
    fc
      .tuple(...aligns.map((align) => cell(type, align)))
      .map((content): NativeNode => ({ type: "tableRow", content }))
  return fc
    .tuple(row("tableHeader"), fc.array(row("tableCell"), { maxLength: 2 }))
    .map(([header, rows]): NativeNode => ({ type: "table", content: [header, ...rows] }))
})

const { block } = fc.letrec<{ block: NativeNode; list: NativeNode; item: NativeNode; quote: NativeNode }>(
  (tie) => ({
    block: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      paragraph,
      heading,
      codeBlock,
      rule,
      table,
      tie("quote"),
      tie("list")
    ),
    quote: fc
      .array(tie("block"), { minLength: 1, maxLength: 3 })
      .map((content): NativeNode => ({ type: "blockquote", content })),
    item: fc
      .tuple(
        fc.oneof(paragraph, fc.constant<NativeNode>({ type: "paragraph" })),
        fc.array(tie("block"), { maxLength: 2 })
      )
      // Markdown has no empty paragraph before another one.
      .filter(([first, rest]) => first.content !== undefined || rest[0]?.type !== "paragraph")
      .map(([first, rest]): NativeNode => ({ type: "listItem", content: [first, ...rest] })),
    list: fc
      .tuple(
        fc.option(fc.nat({ max: 1000 }), { nil: undefined }),
        fc.array(tie("item"), { minLength: 1, maxLength: 3 })
      )
      .map(([start, content]): NativeNode =>
        start === undefined
          ? { type: "bulletList", content }
          : { type: "orderedList", attrs: { start }, content }
      )
  })
)

/** Puts a reference to each footnote into a paragraph of its own. */
const noted = fc
  .tuple(label, fc.array(block, { minLength: 1, maxLength: 2 }), words, marks)
  .map(([label, content, text, marks]): Children => {
    const reference = marked({ type: "footnoteReference", attrs: { label } }, notCode(marks))
    return [
      { type: "paragraph", content: [textNode(text, []), reference, textNode(text, [])] },
      { type: "footnoteDefinition", attrs: { label }, content }
    ]
  })

/** Documents of all content that Markdown can express, as editors write them. */
export const nativeDocument: fc.Arbitrary<NativeDocument> = fc
  .array(fc.oneof({ arbitrary: block.map((it) => [it]), weight: 4 }, noted), { minLength: 1, maxLength: 4 })
  .map((content) => ({ type: "doc", content: content.flat() }))
