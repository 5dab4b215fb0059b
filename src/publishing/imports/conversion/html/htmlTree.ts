import { defaultTreeAdapter, type DefaultTreeAdapterTypes, html, parseFragment } from "parse5"
import { pushReversed } from "../stack.ts"
import { boundedHtml } from "./boundedHtml.ts"

/** A text of HTML. */
interface HtmlText {
  readonly type: "text"
  value: string
}

/** A comment that says something about the text, such as a paywall. */
interface HtmlComment {
  readonly type: "comment"
  readonly value: string
}

/** An element. Names are in lower case. */
export interface HtmlElement {
  readonly type: "element"
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: ReadonlyArray<HtmlNode>
}

export type HtmlNode = HtmlText | HtmlComment | HtmlElement

/** Nodes of one tree, at most. */
const NODES_MAX = 200_000

/** Thrown for a tree of too many nodes. */
class TooManyNodes extends Error {}

/** Elements whose content is never text of a page. */
const DROPPED: ReadonlySet<string> = new Set(["template", "head", "datalist"])

const nodesOf = (nodes: ReadonlyArray<DefaultTreeAdapterTypes.ChildNode>): Array<HtmlNode> => {
  const result: Array<HtmlNode> = []
  for (const node of nodes) {
    if (node.nodeName === "#text" && "value" in node) result.push({ type: "text", value: node.value })
    else if (node.nodeName === "#comment" && "data" in node)
      result.push({ type: "comment", value: node.data.trim() })
    else if ("tagName" in node && !DROPPED.has(node.tagName))
      result.push({
        type: "element",
        name: node.tagName.toLowerCase(),
        attributes: new Map(node.attrs.map(({ name, value }) => [name, value])),
        children: nodesOf(node.childNodes)
      })
  }
  return result
}

/** HTML as a tree, and whether a limit left out tags. */
export interface HtmlTree {
  readonly nodes: ReadonlyArray<HtmlNode>
  readonly isCut: boolean
}

/** Returns the text of HTML without its tags. */
const bareText = (source: string) => source.replaceAll(/<[^<>]*>/g, " ")

/**
 * Parses a fragment of HTML as browsers do, without scripts, in linear time. Beyond 200,000 nodes the tree is the bare text.
 */
export const htmlTree = (source: string): HtmlTree => {
  const bounded = boundedHtml(source)
  let nodes = 0
  const counted = <A>(make: () => A): A => {
    if (++nodes > NODES_MAX) throw new TooManyNodes()
    return make()
  }
  const treeAdapter: typeof defaultTreeAdapter = {
    ...defaultTreeAdapter,
    createElement: (...given) => counted(() => defaultTreeAdapter.createElement(...given)),
    createTextNode: (text) => counted(() => defaultTreeAdapter.createTextNode(text)),
    createCommentNode: (text) => counted(() => defaultTreeAdapter.createCommentNode(text))
  }
  try {
    const body = defaultTreeAdapter.createElement("body", html.NS.HTML, [])
    const fragment = parseFragment(body, bounded.html, { treeAdapter, scriptingEnabled: false })
    return { nodes: nodesOf(fragment.childNodes), isCut: bounded.isCut }
  } catch (error) {
    if (!(error instanceof TooManyNodes || error instanceof RangeError)) throw error
    return { nodes: [{ type: "text", value: bareText(bounded.html) }], isCut: true }
  }
}

/** Returns all text in nodes, without that of comments. */
export const htmlText = (nodes: ReadonlyArray<HtmlNode>): string => {
  const texts: Array<string> = []
  const stack = [...nodes].toReversed()
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.type === "text") texts.push(next.value)
    else if (next.type === "element") {
      if (next.name === "br") texts.push("\n")
      pushReversed(stack, next.children)
    }
  }
  return texts.join("")
}

/** Returns the first element, in the order of the text, that passes a test. */
export const findElement = (
  nodes: ReadonlyArray<HtmlNode>,
  test: (element: HtmlElement) => boolean
): HtmlElement | undefined => {
  const stack = [...nodes].toReversed()
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.type !== "element") continue
    if (test(next)) return next
    pushReversed(stack, next.children)
  }
  return undefined
}

/** Returns all elements, in the order of the text, that pass a test, without those within others of them. */
export const findElements = (
  nodes: ReadonlyArray<HtmlNode>,
  test: (element: HtmlElement) => boolean
): ReadonlyArray<HtmlElement> => {
  const result: Array<HtmlElement> = []
  const stack = [...nodes].toReversed()
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.type !== "element") continue
    if (test(next)) result.push(next)
    else pushReversed(stack, next.children)
  }
  return result
}

/** Returns an attribute, or an empty text. */
export const attribute = (element: HtmlElement, name: string): string =>
  element.attributes.get(name)?.trim() ?? ""

/** Returns true for an element of this class. */
export const hasClass = (element: HtmlElement, name: string): boolean =>
  ` ${attribute(element, "class").replaceAll(/\s+/g, " ")} `.includes(` ${name} `)

/** A tree in two parts. */
export interface SplitTree {
  readonly before: ReadonlyArray<HtmlNode>
  readonly after: ReadonlyArray<HtmlNode>
}

/**
 * Splits a tree at the first node that passes a test, however deep it is: its ancestors stand on both sides. The node itself
 * is left out if it is a comment, else it begins the second part. Returns undefined without such a node.
 */
export const splitTree = (
  nodes: ReadonlyArray<HtmlNode>,
  isWall: (node: HtmlNode) => boolean
): SplitTree | undefined => {
  for (const [index, node] of nodes.entries()) {
    if (isWall(node)) {
      const after = nodes.slice(node.type === "comment" ? index + 1 : index)
      return { before: nodes.slice(0, index), after }
    }
    if (node.type !== "element") continue
    const within = splitTree(node.children, isWall)
    if (within === undefined) continue
    return {
      before: [...nodes.slice(0, index), { ...node, children: within.before }],
      after: [{ ...node, children: within.after }, ...nodes.slice(index + 1)]
    }
  }
  return undefined
}

/** Returns a tree without the nodes that pass a test. */
export const withoutNodes = (
  nodes: ReadonlyArray<HtmlNode>,
  test: (node: HtmlNode) => boolean
): ReadonlyArray<HtmlNode> =>
  nodes.flatMap((node): ReadonlyArray<HtmlNode> => {
    if (test(node)) return []
    return node.type === "element" ? [{ ...node, children: withoutNodes(node.children, test) }] : [node]
  })
