import * as fc from "fast-check"
import type {
  NativeDocument,
  NativeMark,
  NativeNode
} from "../../../../schemas/publishing/posts/NativeDocument.ts"
import { link, MARKS, words } from "./nativeDocuments.ts"

const name = fc.constantFrom(
  "paragraph",
  "heading",
  "text",
  "hardBreak",
  "image",
  "bulletList",
  "orderedList",
  "listItem",
  "blockquote",
  "codeBlock",
  "horizontalRule",
  "table",
  "tableRow",
  "tableHeader",
  "tableCell",
  "footnoteDefinition",
  "footnoteReference",
  "taskList",
  "taskItem",
  "youtube",
  "call-out",
  "x",
  "doc",
  "constructor",
  "toString"
)
const json = fc.jsonValue({ maxDepth: 2 }).filter((value) => {
  const text = JSON.stringify(value)
  return JSON.parse(text) !== undefined && !text.includes("\\u0000") && !/\\ud[89a-f]/i.test(text)
}) as fc.Arbitrary<NonNullable<NativeNode["attrs"]>[string]>
const attrs = fc.dictionary(
  fc.constantFrom(
    "label",
    "level",
    "start",
    "src",
    "href",
    "alt",
    "title",
    "align",
    "language",
    "meta",
    "colspan",
    "color",
    "toString"
  ),
  fc.oneof(json, words, fc.integer()),
  { maxKeys: 2, noNullPrototype: true }
)
const anyMarks = fc.array(
  fc.oneof(fc.constantFrom(...MARKS), link, fc.record({ type: name, attrs }, { noNullPrototype: true })),
  { maxLength: 3 }
)

const nodeOf = ([type, attrs, content, marks]: [
  string,
  NativeNode["attrs"],
  ReadonlyArray<NativeNode> | undefined,
  ReadonlyArray<NativeMark> | undefined
]): NativeNode => ({
  type,
  ...(attrs && { attrs }),
  ...(content && { content }),
  ...(marks && { marks })
})

const { node } = fc.letrec<{ node: NativeNode }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.tuple(words, anyMarks).map(([text, marks]): NativeNode => ({ type: "text", text, marks })),
    fc
      .tuple(
        name.filter((it) => it !== "text"),
        fc.option(attrs, { nil: undefined }),
        fc.option(fc.array(tie("node"), { maxLength: 3 }), { nil: undefined }),
        fc.option(anyMarks, { nil: undefined, freq: 2 })
      )
      .map(nodeOf)
  )
}))

/** Documents of any nodes in any order, unlike those of editors. */
export const anyDocument: fc.Arbitrary<NativeDocument> = fc
  .array(node, { maxLength: 4 })
  .map((content) => ({ type: "doc", content }))
