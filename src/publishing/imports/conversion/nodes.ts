import type { NativeMark, NativeNode } from "../../../../schemas/publishing/posts/NativeDocument.ts"
import { isInline } from "../../content/native/nativeNodes.ts"
import { pushReversed } from "./stack.ts"

export type Nodes = ReadonlyArray<NativeNode>
export type Marks = ReadonlyArray<NativeMark>

const BOLD: NativeMark = { type: "bold" }
const ITALIC: NativeMark = { type: "italic" }

/** Returns marks with one more. The same mark counts once; a link replaces the one around it. */
export const withMark = (marks: Marks, mark: NativeMark): Marks => [
  ...marks.filter(({ type }) => type !== mark.type),
  mark
]

/** Makes a text. */
export const textNode = (text: string, marks: Marks = []): NativeNode =>
  marks.length === 0 ? { type: "text", text } : { type: "text", text, marks }

/** Makes a link. */
export const linkNode = (text: string, href: string, marks: Marks = []): NativeNode =>
  textNode(text, withMark(marks, { type: "link", attrs: { href } }))

export const paragraph = (content: Nodes): NativeNode => ({ type: "paragraph", content })
export const boldParagraph = (content: Nodes): NativeNode => paragraph(marked(content, BOLD))
export const italicParagraph = (content: Nodes): NativeNode => paragraph(marked(content, ITALIC))
export const blockquote = (content: Nodes): NativeNode => ({ type: "blockquote", content })
export const hardBreak: NativeNode = { type: "hardBreak" }
export const codeBlock = (text: string, language = ""): NativeNode => ({
  type: "codeBlock",
  attrs: { language: LANGUAGE.test(language) ? language : null },
  content: text === "" ? [] : [{ type: "text", text }]
})
const LANGUAGE = /^[\w+#.-]{1,40}$/

/** Returns inline nodes with one more mark. */
const marked = (nodes: Nodes, mark: NativeMark): Nodes =>
  nodes.map((node) => (isInline(node) ? { ...node, marks: withMark(node.marks ?? [], mark) } : node))

const isBlank = (text: string) => !/[^ \t\r\n\u00A0\u200B\uFEFF]/.test(text)
const isCode = ({ marks }: NativeNode) => marks?.some(({ type }) => type === "code") === true

/** Splits a text into the white space at its ends and the rest, which alone keeps the marks. */
const unmarkedEnds = (node: NativeNode): Nodes => {
  const { marks = [], text } = node
  if (text === undefined || marks.length === 0 || isCode(node)) return [node]
  const rest = text.trim()
  if (rest === "") return [textNode(text)]
  if (rest.length === text.length) return [node]
  const before = text.slice(0, text.length - text.trimStart().length)
  const after = text.slice(text.trimEnd().length)
  return [
    ...(before === "" ? [] : [textNode(before)]),
    textNode(rest, marks),
    ...(after === "" ? [] : [textNode(after)])
  ]
}

const sameMarks = (a: Marks = [], b: Marks = []) =>
  a.length === b.length && (a.length === 0 || JSON.stringify(a) === JSON.stringify(b))

/** Returns nodes in which white space has the marks of the texts on both of its sides. */
const markedBetween = (nodes: Nodes): Nodes =>
  nodes.map((node, at) => {
    if (node.text === undefined || node.marks !== undefined || !isBlank(node.text)) return node
    const [before, after] = [nodes[at - 1]?.marks ?? [], nodes[at + 1]?.marks ?? []]
    const common = before.filter(
      (mark) => mark.type !== "code" && after.some((it) => sameMarks([mark], [it]))
    )
    return common.length === 0 ? node : textNode(node.text, common)
  })

/** Joins adjacent texts with equal marks, without white space at the ends of lines. */
const joined = (nodes: Nodes): Array<NativeNode> => {
  const result: Array<NativeNode> = []
  let parts: Array<string> = []
  let marks: Marks | undefined
  let endsInSpace = true
  const flush = () => {
    if (parts.length > 0) result.push(textNode(parts.join(""), marks))
    parts = []
  }
  for (const node of markedBetween(nodes.flatMap(unmarkedEnds))) {
    if (node.text === undefined) {
      flush()
      result.push(node)
      endsInSpace = node.type === "hardBreak"
      continue
    }
    const text = endsInSpace && !isCode(node) ? node.text.replace(/^[ \t\n]+/, "") : node.text
    if (text === "") continue
    if (parts.length > 0 && !sameMarks(marks, node.marks)) flush()
    marks = node.marks
    parts.push(text)
    endsInSpace = /[ \t\n]$/.test(text) && !isCode(node)
  }
  flush()
  return result
}

/** Returns a line without white space and breaks at its ends. */
export const tidyLine = (nodes: Nodes): Nodes => {
  const line = joined(nodes)
  const isEdge = (node: NativeNode | undefined) =>
    node !== undefined &&
    (node.type === "hardBreak" || (node.text !== undefined && !isCode(node) && isBlank(node.text)))
  let start = 0
  let end = line.length
  while (start < end && isEdge(line[start])) start++
  while (end > start && isEdge(line[end - 1])) end--
  const rest = line.slice(start, end).filter((node, at, all) => {
    // White space alone before a break.
    return !(
      node.text !== undefined &&
      !isCode(node) &&
      /^[ \t\n]+$/.test(node.text) &&
      all[at + 1]?.type === "hardBreak"
    )
  })
  return rest.map((node, at) => {
    if (node.text === undefined || isCode(node)) return node
    const next = rest[at + 1]
    const text = at === rest.length - 1 || next?.type === "hardBreak" ? node.text.trimEnd() : node.text
    return textNode(at === 0 ? text.trimStart() : text, node.marks)
  })
}

/** Splits a line where two breaks follow each other, which pages use for paragraphs. */
const splitAtDoubleBreaks = (nodes: Nodes): ReadonlyArray<Nodes> => {
  const lines: Array<Array<NativeNode>> = [[]]
  let breaks = 0
  for (const node of nodes) {
    const isSpace = node.text !== undefined && !isCode(node) && isBlank(node.text)
    if (node.type === "hardBreak") breaks++
    else if (!isSpace) {
      if (breaks >= 2) lines.push([])
      breaks = 0
    }
    lines.at(-1)?.push(node)
  }
  return lines
}

/** Returns blocks: runs of inline nodes become paragraphs. */
export const blocksFrom = (nodes: Nodes): Nodes => {
  const blocks: Array<NativeNode> = []
  let run: Array<NativeNode> = []
  const flush = () => {
    for (const line of splitAtDoubleBreaks(run)) {
      const content = tidyLine(line)
      if (content.length > 0) blocks.push(paragraph(content))
    }
    run = []
  }
  for (const node of nodes) {
    if (isInline(node)) run.push(node)
    else {
      if (run.length > 0) flush()
      blocks.push(node)
    }
  }
  flush()
  return blocks
}

/** Returns the only picture of a block, if the block has nothing else. */
export const onlyPicture = (block: NativeNode | undefined): NativeNode | undefined => {
  if (block?.type !== "paragraph" || block.content?.length !== 1) return undefined
  const [picture] = block.content
  return picture?.type === "image" ? picture : undefined
}

/** Returns the words of nodes as one line, without those of pictures. */
export const wordsOf = (nodes: Nodes): string => {
  const words: Array<string> = []
  const stack: Array<NativeNode> = []
  pushReversed(stack, nodes)
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.text !== undefined) words.push(next.text)
    // White space between blocks and lines.
    else if (next.type === "hardBreak" || next.content !== undefined) words.push(" ")
    pushReversed(stack, next.content ?? [])
  }
  return words.join("").replaceAll(/\s+/gu, " ").trim()
}
