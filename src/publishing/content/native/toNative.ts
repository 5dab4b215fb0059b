import type {
  FootnoteDefinition,
  FootnoteReference,
  List,
  Nodes,
  PhrasingContent,
  Root,
  RootContent,
  Table
} from "mdast"
import type {
  NativeDocument,
  NativeMark,
  NativeNode
} from "../../../../schemas/publishing/posts/NativeDocument.ts"
import { joinLines, LINE_ENDING, oneLine } from "../parser/lineEndings.ts"
import { definitionsIn } from "../reading/unsupported.ts"

type Definitions = ReturnType<typeof definitionsIn>
type Marks = ReadonlyArray<NativeMark>

const contentOf = (content: ReadonlyArray<NativeNode>) => (content.length === 0 ? {} : { content })
const marksOf = (marks: Marks) => (marks.length === 0 ? {} : { marks })

/** Joins adjacent texts with equal marks. */
const joined = (nodes: ReadonlyArray<NativeNode>): ReadonlyArray<NativeNode> => {
  const result: Array<NativeNode> = []
  for (const node of nodes) {
    const last = result.at(-1)
    if (node.text === "") continue
    if (last?.text !== undefined && node.text !== undefined && areSame(last.marks, node.marks)) {
      result[result.length - 1] = withText(last, last.text + node.text)
    } else result.push(node)
  }
  return result
}

const withText = (node: NativeNode, text: string): NativeNode => ({ ...node, text })

const areSame = (a: Marks = [], b: Marks = []) => a === b || JSON.stringify(a) === JSON.stringify(b)

const paragraph = (content: ReadonlyArray<NativeNode> = []): NativeNode => ({
  type: "paragraph",
  ...contentOf(content)
})

const labelOf = ({ identifier, label }: FootnoteReference | FootnoteDefinition) => label ?? identifier

/** Makes native documents from trees. Unsupported features become their text. */
const converter = (definitions: Definitions) => {
  const image = (
    { alt, title, url }: { alt?: string | null | undefined; title?: string | null | undefined; url: string },
    marks: Marks
  ): NativeNode => ({
    type: "image",
    attrs: { src: url, alt: oneLine(alt), title: oneLine(title) },
    ...marksOf(marks)
  })
  const link = (href: string, title: string | null | undefined): NativeMark => ({
    type: "link",
    attrs: { href, title: oneLine(title) }
  })

  const inlineOf = (node: PhrasingContent, marks: Marks): ReadonlyArray<NativeNode> => {
    const within = (mark: NativeMark, children: ReadonlyArray<PhrasingContent>) =>
      inlinesOf(children, added(marks, mark))
    switch (node.type) {
      case "text":
        return [{ type: "text", ...marksOf(marks), text: node.value }]
      case "inlineCode": {
        const text = joinLines(node.value)
        return [{ type: "text", ...marksOf(added(marks, { type: "code" })), text }]
      }
      case "strong":
        return within({ type: "bold" }, node.children)
      case "emphasis":
        return within({ type: "italic" }, node.children)
      case "delete":
        return within({ type: "strike" }, node.children)
      case "underline":
        return within({ type: "underline" }, node.children)
      case "break":
        return [{ type: "hardBreak", ...marksOf(marks) }]
      case "link":
        return within(link(node.url, node.title), node.children)
      case "linkReference": {
        const definition = definitions(node)
        return within(link(definition?.url ?? "", definition?.title), node.children)
      }
      case "image":
        return [image(node, marks)]
      case "imageReference": {
        const { title, url } = definitions(node) ?? { title: null, url: "" }
        return [image({ alt: node.alt, title, url }, marks)]
      }
      case "footnoteReference":
        return [{ type: "footnoteReference", attrs: { label: labelOf(node) }, ...marksOf(marks) }]
      default:
        return [{ type: "text", ...marksOf(marks), text: node.value }]
    }
  }
  const inlinesOf = (nodes: ReadonlyArray<PhrasingContent>, marks: Marks): ReadonlyArray<NativeNode> =>
    nodes.flatMap((node) => inlineOf(node, marks))

  /** A line ending becomes a space, or nothing beside a hard break. */
  const inlines = (nodes: ReadonlyArray<PhrasingContent>) => {
    const all = inlinesOf(nodes, [])
    return joined(
      all.map((node, at) => {
        if (node.text === undefined) return node
        const start = all[at - 1]?.type === "hardBreak" ? node.text.replace(/^(?:\r\n|\n|\r)/, "") : node.text
        const text = all[at + 1]?.type === "hardBreak" ? start.replace(/(?:\r\n|\n|\r)$/, "") : start
        return withText(node, joinLines(text))
      })
    )
  }

  const listOf = (list: List): NativeNode => {
    const content = list.children.map((item): NativeNode => {
      const blocks = item.children.flatMap(blockOf)
      // Editors want a paragraph at the beginning of an item.
      return {
        type: "listItem",
        content: blocks[0]?.type === "paragraph" ? blocks : [paragraph(), ...blocks]
      }
    })
    return list.ordered === true
      ? { type: "orderedList", attrs: { start: list.start ?? 1 }, content }
      : { type: "bulletList", content }
  }

  /** Gives each row as many cells as the header. */
  const tableOf = ({ align, children }: Table): NativeNode => {
    const columns = children[0]?.children.length ?? 0
    const content = children.map((row, at): NativeNode => ({
      type: "tableRow",
      content: Array.from({ length: Math.max(columns, row.children.length) }, (_, column): NativeNode => ({
        type: at === 0 ? "tableHeader" : "tableCell",
        attrs: { align: align?.[column] ?? null },
        content: [paragraph(inlines(row.children[column]?.children ?? []))]
      }))
    }))
    return { type: "table", content }
  }

  const blockOf = (node: RootContent): ReadonlyArray<NativeNode> => {
    switch (node.type) {
      case "paragraph":
        return [paragraph(inlines(node.children))]
      case "heading":
        return [{ type: "heading", attrs: { level: node.depth }, ...contentOf(inlines(node.children)) }]
      case "blockquote": {
        const blocks = node.children.flatMap(blockOf)
        return [{ type: "blockquote", content: blocks.length === 0 ? [paragraph()] : blocks }]
      }
      case "list":
        return [listOf(node)]
      case "code": {
        const text = node.value.replaceAll(LINE_ENDING, "\n")
        const attrs = { language: node.lang || null, ...(node.meta ? { meta: node.meta } : {}) }
        return [{ type: "codeBlock", attrs, ...contentOf(text === "" ? [] : [{ type: "text", text }]) }]
      }
      case "thematicBreak":
        return [{ type: "horizontalRule" }]
      case "table":
        return [tableOf(node)]
      case "footnoteDefinition": {
        const blocks = node.children.flatMap(blockOf)
        const content = blocks.length === 0 ? [paragraph()] : blocks
        return [{ type: "footnoteDefinition", attrs: { label: labelOf(node) }, content }]
      }
      case "html":
        return [paragraph(inlines([{ type: "text", value: node.value }]))]
      default:
        return []
    }
  }
  return blockOf
}

const ORDER = ["link", "bold", "italic", "strike", "underline", "code"]

/** Returns marks as a set in one order. Of two links the inner one counts. */
const added = (marks: Marks, mark: NativeMark): Marks =>
  [...marks.filter(({ type }) => type !== mark.type), mark].toSorted(
    (a, b) => ORDER.indexOf(a.type) - ORDER.indexOf(b.type)
  )

/**
 * Converts a tree into a native document. It resolves references, turns line endings within a paragraph into spaces and
 * fills rows of tables up to the header. Documents, quotations and cells are never empty and list items begin with a
 * paragraph, as the schemas of editors require: an empty paragraph where Markdown has none.
 */
export const nativeOf = (root: Root): NativeDocument => {
  const content = root.children.flatMap(converter(definitionsIn([root satisfies Nodes])))
  return { type: "doc", content: content.length === 0 ? [paragraph()] : content }
}
