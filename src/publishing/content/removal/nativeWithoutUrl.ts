import type {
  NativeDocument,
  NativeMark,
  NativeNode
} from "../../../../schemas/publishing/posts/NativeDocument.ts"
import { attrOf } from "../native/nativeNodes.ts"

type Attrs = NonNullable<NativeNode["attrs"]>
type Json = Attrs[string]

const PARAGRAPH: NativeNode = { type: "paragraph" }

/** Nodes that hold at least one block. */
const BLOCK_PARENTS: ReadonlySet<string> = new Set([
  "doc",
  "blockquote",
  "listItem",
  "taskItem",
  "tableCell",
  "tableHeader"
])

/** Nodes that hold lines of text, possibly none. */
const TEXT_BLOCKS: ReadonlySet<string> = new Set(["paragraph", "heading"])

/** Returns a value without the URL, or undefined when nothing else is in it. */
const jsonWithout = (value: Json, url: string): Json | undefined => {
  if (value === url) return undefined
  if (Array.isArray(value)) {
    return (value as ReadonlyArray<Json>).flatMap((it) => {
      const rest = jsonWithout(it, url)
      return rest === undefined ? [] : [rest]
    })
  }
  return typeof value === "object" && value !== null ? attrsWithout(value as Attrs, url) : value
}

const attrsWithout = (attrs: Attrs, url: string): Attrs =>
  Object.fromEntries(
    Object.entries(attrs).flatMap(([name, value]) => {
      const rest = jsonWithout(value, url)
      return rest === undefined ? [] : [[name, rest]]
    })
  )

/** Returns the same object when it does not hold the URL. */
const sameOr = <A>(before: A, after: A): A =>
  JSON.stringify(before) === JSON.stringify(after) ? before : after

const holds = ({ attrs }: NativeMark, url: string) =>
  attrs !== undefined && sameOr(attrs, attrsWithout(attrs, url)) !== attrs

/** Returns true for a node that shows the resource at its address and nothing else. */
const shows = (node: NativeNode, url: string) =>
  attrOf(node, "src") === url && (node.type === "image" || node.content === undefined)

const isSame = <A>(a: ReadonlyArray<A>, b: ReadonlyArray<A>) =>
  a.length === b.length && a.every((it, at) => it === b[at])

/** Returns a node without the URL, or undefined when nothing is left. Returns the same object when it does not hold the URL. */
const nodeWithout = (node: NativeNode, url: string): NativeNode | undefined => {
  if (shows(node, url)) return undefined
  const { attrs, content, marks } = node
  const newAttrs = attrs && sameOr(attrs, attrsWithout(attrs, url))
  const newMarks = marks?.filter((mark) => !holds(mark, url))
  const newContent = content?.flatMap((child) => nodeWithout(child, url) ?? [])
  const areMarksSame = marks === undefined || isSame(marks, newMarks ?? [])
  const isContentSame = content === undefined || isSame(content, newContent ?? [])
  if (newAttrs === attrs && areMarksSame && isContentSame) return node
  const isEmptied = !isContentSame && newContent?.length === 0
  const isBlockParent = BLOCK_PARENTS.has(node.type)
  if (isEmptied && !isBlockParent && !TEXT_BLOCKS.has(node.type)) return undefined
  // Members stay in their order.
  const changed: Partial<Record<string, unknown>> = {
    ...node,
    attrs: newAttrs,
    marks: newMarks?.length === 0 && !areMarksSame ? undefined : newMarks,
    content: isEmptied ? (isBlockParent ? [PARAGRAPH] : undefined) : newContent
  }
  const members = Object.entries(changed).filter(([, value]) => value !== undefined)
  return Object.fromEntries(members) as unknown as NativeNode
}

/**
 * Returns a native document without references to exactly `url`. It removes nodes that show the resource and hold nothing
 * else, marks such as links (their text stays), and values of all other attributes at any depth. A block that must not be
 * empty gets an empty paragraph; a node of an unknown type that held nothing else is removed. The rest stays as
 * `JSON.stringify` writes it.
 */
export const nativeWithoutUrl = (document: NativeDocument, url: string): NativeDocument =>
  (nodeWithout(document, url) ?? { type: "doc", content: [PARAGRAPH] }) as NativeDocument
