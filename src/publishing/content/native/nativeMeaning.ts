import type { NativeMark, NativeNode } from "../../../../schemas/publishing/posts/NativeDocument.ts"
import { toldAttrs } from "./nativeFeatures.ts"

/** Returns a node without unset attributes, empty paragraphs and empty texts. */
type Meaning = readonly [
  type: string,
  attrs: unknown,
  marks: unknown,
  content: ReadonlyArray<Meaning> | string
]

const marksOf = (marks: ReadonlyArray<NativeMark> = []) =>
  marks.map((mark) => [mark.type, toldAttrs(mark)] as const).toSorted(([a], [b]) => (a < b ? -1 : 1))

const isEmpty = ([type, , , content]: Meaning) =>
  (type === "paragraph" || type === "text") && content.length === 0

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

const childrenOf = (nodes: ReadonlyArray<NativeNode>): ReadonlyArray<Meaning> => {
  const children: Array<Meaning> = []
  for (const child of nodes.map(meaningOf)) {
    if (isEmpty(child)) continue
    const [type, attrs, marks, content] = child
    const last = children.at(-1)
    const joins = type === "text" && last?.[0] === "text" && isSame([last[1], last[2]], [attrs, marks])
    if (joins) children[children.length - 1] = [type, attrs, marks, `${String(last[3])}${String(content)}`]
    else children.push(child)
  }
  return children
}

const meaningOf = (node: NativeNode): Meaning => [
  node.type,
  toldAttrs(node),
  marksOf(node.marks),
  node.text ?? childrenOf(node.content ?? [])
]

/** Returns true for two documents of the same meaning, even from different editors. */
export const meanSame = (a: NativeNode, b: NativeNode): boolean => isSame(meaningOf(a), meaningOf(b))
