import type {
  NativeDocument,
  NativeMark,
  NativeNode
} from "../../../../schemas/publishing/posts/NativeDocument.ts"
import { attrOf } from "../native/nativeNodes.ts"
import { leadingTo, type LeadsTo } from "./leadingTo.ts"

type Attrs = NonNullable<NativeNode["attrs"]>
type Json = Attrs[string]

const PARAGRAPH: NativeNode = { type: "paragraph" }

/** Nodes that hold at least one block. */
const BLOCK_PARENTS: ReadonlySet<string> = new Set([
  "doc",
  "blockquote",
  "listItem",
  "footnoteDefinition",
  "taskItem",
  "tableCell",
  "tableHeader"
])

/** Nodes that hold lines of text, possibly none. */
const TEXT_BLOCKS: ReadonlySet<string> = new Set(["paragraph", "heading"])

/** Returns a value without the URL, or undefined when nothing else is in it. */
const jsonWithout = (value: Json, isLost: LeadsTo): Json | undefined => {
  if (typeof value === "string") return isLost(value) ? undefined : value
  if (Array.isArray(value)) {
    return (value as ReadonlyArray<Json>).flatMap((it) => {
      const rest = jsonWithout(it, isLost)
      return rest === undefined ? [] : [rest]
    })
  }
  return typeof value === "object" && value !== null ? attrsWithout(value as Attrs, isLost) : value
}

const attrsWithout = (attrs: Attrs, isLost: LeadsTo): Attrs =>
  Object.fromEntries(
    Object.entries(attrs).flatMap(([name, value]) => {
      const rest = jsonWithout(value, isLost)
      return rest === undefined ? [] : [[name, rest]]
    })
  )

/** Returns the same object when it does not hold the URL. */
const sameOr = <A>(before: A, after: A): A =>
  JSON.stringify(before) === JSON.stringify(after) ? before : after

const holds = ({ attrs }: NativeMark, isLost: LeadsTo) =>
  attrs !== undefined && sameOr(attrs, attrsWithout(attrs, isLost)) !== attrs

/** Returns true for a node that shows the resource at its address and nothing else. */
const shows = (node: NativeNode, isLost: LeadsTo) => {
  const src = attrOf(node, "src")
  return typeof src === "string" && isLost(src) && (node.type === "image" || node.content === undefined)
}

const isSame = <A>(a: ReadonlyArray<A>, b: ReadonlyArray<A>) =>
  a.length === b.length && a.every((it, at) => it === b[at])

/** Returns a node without the URL, or undefined when nothing is left. Returns the same object when it does not hold the URL. */
const nodeWithout = (node: NativeNode, isLost: LeadsTo): NativeNode | undefined => {
  if (shows(node, isLost)) return undefined
  const { attrs, content, marks } = node
  const newAttrs = attrs && sameOr(attrs, attrsWithout(attrs, isLost))
  const newMarks = marks?.filter((mark) => !holds(mark, isLost))
  const newContent = content?.flatMap((child) => nodeWithout(child, isLost) ?? [])
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
 * Returns a native document without references to `url`. An image of the service is found on any of `hosts`. It removes nodes that show the resource and hold nothing
 * else, marks such as links (their text stays), and values of all other attributes at any depth. A block that must not be
 * empty gets an empty paragraph; a node of an unknown type that held nothing else is removed. The rest stays as
 * `JSON.stringify` writes it.
 */
export const nativeWithoutUrl = (
  document: NativeDocument,
  url: string,
  hosts: ReadonlyArray<string> = []
): NativeDocument =>
  (nodeWithout(document, leadingTo([url], hosts)) ?? { type: "doc", content: [PARAGRAPH] }) as NativeDocument
