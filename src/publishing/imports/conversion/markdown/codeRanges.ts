import type { Nodes } from "mdast"
import { LINE_ENDING } from "../../../content/parser/lineEndings.ts"
import { parse, type Part } from "../../../content/parser/parse.ts"
import { pushReversed } from "../stack.ts"

/** A range of a source, in UTF-16 code units. */
interface Range {
  readonly start: number
  readonly end: number
}

/** A node of a parsed source with its place. */
export interface PlacedNode extends Range {
  readonly node: Nodes
}

/** A source as blocks with their places, and as the parser read it. */
export interface PlacedSource {
  readonly parts: ReadonlyArray<Part>
  readonly blocks: ReadonlyArray<PlacedNode>
  /** The offsets at which lines begin. */
  readonly lineStarts: ReadonlyArray<number>
}

/** Parses a source into blocks with their places. Throws `TooComplex`. */
export const placedSource = (source: string): PlacedSource => {
  const lineStarts = [
    0,
    ...[...source.matchAll(LINE_ENDING)].map(({ 0: ending, index }) => index + ending.length)
  ]
  const mark = source.startsWith("\uFEFF") ? 1 : 0
  const parts = parse(source)
  const blocks = parts.flatMap(({ linesBefore, root }) => {
    const base = linesBefore === 0 ? mark : (lineStarts[linesBefore] ?? 0)
    return root.children.map((node) => ({
      node,
      start: base + (node.position?.start.offset ?? 0),
      end: base + (node.position?.end.offset ?? 0)
    }))
  })
  return { parts, blocks, lineStarts }
}

/** Returns the places of code within blocks. */
const codeIn = (blocks: ReadonlyArray<PlacedNode>): ReadonlyArray<Range> => {
  const ranges: Array<Range> = []
  for (const { node: block, start } of blocks) {
    const base = start - (block.position?.start.offset ?? 0)
    const stack: Array<Nodes> = [block]
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      if (next.type === "code" || next.type === "inlineCode") {
        const { end, start: from } = next.position ?? {}
        ranges.push({ start: base + (from?.offset ?? 0), end: base + (end?.offset ?? 0) })
      } else if ("children" in next) pushReversed(stack, next.children)
    }
  }
  return ranges.toSorted((a, b) => a.start - b.start)
}

/** Returns a source in which all text outside of code went through a function, piece by piece. */
export const outsideCode = (source: string, change: (text: string) => string): string => {
  let result = ""
  let at = 0
  for (const { end, start } of codeIn(placedSource(source).blocks)) {
    if (start < at) continue
    result += change(source.slice(at, start)) + source.slice(start, end)
    at = end
  }
  return result + change(source.slice(at))
}
