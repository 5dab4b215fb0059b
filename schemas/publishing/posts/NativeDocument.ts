import { Schema } from "effect"
import { isStorable } from "../../platform/Text.ts"

/** A JSON value, the type of attributes of nodes and marks. */
type Json = Schema.Json

/** A mark on a piece of text or another inline node, such as `bold` or `link`. */
export interface NativeMark {
  readonly type: string
  readonly attrs?: { readonly [name: string]: Json }
}

/** A node as ProseMirror writes it. Exactly the nodes of type `text` have a text. */
export interface NativeNode {
  readonly type: string
  readonly attrs?: { readonly [name: string]: Json }
  readonly content?: ReadonlyArray<NativeNode>
  readonly marks?: ReadonlyArray<NativeMark>
  readonly text?: string
}

/** A section of a Post as rich editors write it. */
export interface NativeDocument extends NativeNode {
  readonly type: "doc"
  readonly content: ReadonlyArray<NativeNode>
}

/** Nodes within nodes, at most. Every readable section of Markdown is less deep. */
export const NATIVE_DEPTH_MAX = 512
/** Nodes, marks and values of attributes in one document. */
export const NATIVE_NODES_MAX = 200_000
/** Characters of all texts, names and attributes in one document; Markdown sections have 200,000 at most. */
export const NATIVE_CHARS_MAX = 1_000_000

/** UTF-8 bytes of one document as JSON: both sections of a Post fit one message of the database twice. */
export const NATIVE_BYTES_MAX = 3 * 1024 * 1024

/** Values within values of one attribute. */
const ATTRIBUTE_DEPTH_MAX = 16

const NAME = /^[A-Za-z][\w-]{0,63}$/
const NODE_KEYS: ReadonlySet<string> = new Set(["type", "attrs", "content", "marks", "text"])
const MARK_KEYS: ReadonlySet<string> = new Set(["type", "attrs"])

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const has = (value: Readonly<Record<string, unknown>>, keys: ReadonlySet<string>) =>
  Object.keys(value).every((key) => keys.has(key))

/** Checks without recursion, as a writer may nest deeper than the call stack. */
const isNativeDocument = (document: unknown): document is NativeDocument => {
  let nodes = 0
  let chars = 0
  const counted = (text: string) => {
    chars += text.length
    return chars <= NATIVE_CHARS_MAX && isStorable(text)
  }

  const isJson = (value: unknown, depth: number): boolean => {
    if (++nodes > NATIVE_NODES_MAX || depth > ATTRIBUTE_DEPTH_MAX) return false
    if (value === null || typeof value === "boolean") return true
    if (typeof value === "number") return Number.isFinite(value)
    if (typeof value === "string") return counted(value)
    if (Array.isArray(value)) return value.every((it) => isJson(it, depth + 1))
    return (
      isObject(value) && Object.entries(value).every(([name, it]) => counted(name) && isJson(it, depth + 1))
    )
  }
  const areAttrs = (attrs: unknown) => attrs === undefined || (isObject(attrs) && isJson(attrs, 0))
  const isName = (name: unknown) => typeof name === "string" && NAME.test(name) && counted(name)
  const isMark = (mark: unknown) =>
    isObject(mark) && has(mark, MARK_KEYS) && ++nodes > 0 && isName(mark["type"]) && areAttrs(mark["attrs"])

  if (!isObject(document) || document["type"] !== "doc" || !Array.isArray(document["content"])) return false
  const stack: Array<readonly [node: unknown, depth: number]> = [[document, 1]]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [node, depth] = next
    if (depth > NATIVE_DEPTH_MAX || ++nodes > NATIVE_NODES_MAX) return false
    if (!isObject(node) || !has(node, NODE_KEYS)) return false
    const { attrs, content, marks, text, type } = node
    if (!isName(type) || !areAttrs(attrs)) return false
    if (type === "text" ? typeof text !== "string" || !counted(text) : text !== undefined) return false
    if (marks !== undefined && !(Array.isArray(marks) && marks.every(isMark))) return false
    if (content !== undefined && !Array.isArray(content)) return false
    for (const child of content ?? []) stack.push([child, depth + 1])
  }
  return true
}

/**
 * A section of a Post as a document of ProseMirror: `{type: "doc", content: [...]}` in the names of Tiptap. Blocks:
 * `paragraph`, `heading` (`level`), `blockquote`, `bulletList`, `orderedList` (`start`), `listItem`, `codeBlock`
 * (`language`, and `meta` where Markdown has more in that place), `horizontalRule`, `table`, `tableRow`, `tableHeader`
 * and `tableCell` (`align`), `footnoteDefinition` (`label`). Inline: `text`, `hardBreak`, `image` (`src`, `alt`, `title`),
 * `footnoteReference` (`label`). Marks: `bold`, `italic`, `strike`, `underline`, `code`, `link` (`href`, `title`).
 *
 * Any other node, mark or attribute of an editor is kept unchanged; such a section cannot be written as Markdown.
 * Bounded in depth and size.
 */
export const NativeDocument = Schema.declare(isNativeDocument, {
  identifier: "NativeDocument",
  expected: "a ProseMirror document of bounded depth and size"
})
