import { type HtmlNode, htmlTree } from "../../conversion/html/htmlTree.ts"
import { htmlBlocks } from "../../conversion/html/toNodes.ts"
import type { Conversion, EmbeddedPictures } from "../../conversion/html/walk.ts"
import type { Nodes } from "../../conversion/nodes.ts"
import type { Report } from "../../conversion/report.ts"
import { pushReversed } from "../../conversion/stack.ts"

/** Converts the trees of both sections of a post. */
export const htmlSections = (
  trees: { readonly free: ReadonlyArray<HtmlNode>; readonly paid: ReadonlyArray<HtmlNode> },
  report: Report,
  pictures: EmbeddedPictures
): { readonly free: Nodes; readonly paid: Nodes } => {
  const of = (nodes: ReadonlyArray<HtmlNode>, section: Conversion["section"]) =>
    nodes.length === 0 ? [] : safely(() => htmlBlocks(nodes, { section, report, pictures }), nodes)
  return { free: of(trees.free, "free"), paid: of(trees.paid, "paid") }
}

/** A tree that is too deep for the walk becomes its text. */
const safely = (convert: () => Nodes, nodes: ReadonlyArray<HtmlNode>): Nodes => {
  try {
    return convert()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const text = textIn(nodes)
    return text === "" ? [] : [{ type: "paragraph", content: [{ type: "text", text }] }]
  }
}

const textIn = (nodes: ReadonlyArray<HtmlNode>): string => {
  const texts: Array<string> = []
  const stack = [...nodes].toReversed()
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.type === "text") texts.push(next.value)
    else if (next.type === "element") pushReversed(stack, next.children)
  }
  return texts.join(" ").replaceAll(/\s+/g, " ").trim()
}

/** Returns the tree of HTML, without the notice of what a limit left out. */
export const nodesOf = (html: string): ReadonlyArray<HtmlNode> => htmlTree(html).nodes
