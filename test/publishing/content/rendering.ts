import type { Root } from "mdast"
import { type DefaultTreeAdapterTypes, parseFragment } from "parse5"
import { parse } from "../../../src/publishing/content/parser/parse.ts"

/** Returns a section as one tree, joined from all the parts that the reader made. */
export const rootOf = (source: string, partChars?: number): Root => ({
  type: "root",
  children: parse(source, partChars).flatMap(({ root }) => root.children)
})

export interface HtmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: ReadonlyArray<HtmlTree>
}

/** HTML as a browser parses it, so that tests can compare different spellings. */
export type HtmlTree = string | HtmlElement

/** Joins adjacent texts. */
export const joined = (trees: ReadonlyArray<HtmlTree>): ReadonlyArray<HtmlTree> => {
  const result: Array<HtmlTree> = []
  for (const tree of trees) {
    const last = result.at(-1)
    if (typeof tree === "string" && typeof last === "string") result[result.length - 1] = last + tree
    else if (tree !== "") result.push(tree)
  }
  return result
}

/** Converts a parsed node. Elements of other namespaces have a prefix; other nodes keep their DOM name. */
export const fromParsed = (node: DefaultTreeAdapterTypes.ChildNode): HtmlTree => {
  if (node.nodeName === "#text" && "value" in node) return node.value
  if (!("tagName" in node))
    return { name: node.nodeName, attributes: {}, children: "data" in node ? [node.data] : [] }
  const children = "content" in node ? node.content.childNodes : node.childNodes
  return {
    name: node.namespaceURI === "http://www.w3.org/1999/xhtml" ? node.tagName : `foreign ${node.tagName}`,
    attributes: Object.fromEntries(node.attrs.map(({ name, value }) => [name, value])),
    children: children.map(fromParsed)
  }
}

/** Parses HTML within a page as a browser does, without white space at the end. */
export const treeOf = (html: string): ReadonlyArray<HtmlTree> =>
  parseFragment(html.trimEnd()).childNodes.map(fromParsed)

/** All elements of a tree. */
export const elementsIn = (trees: ReadonlyArray<HtmlTree>): ReadonlyArray<HtmlElement> =>
  trees.flatMap((tree) => (typeof tree === "string" ? [] : [tree, ...elementsIn(tree.children)]))
