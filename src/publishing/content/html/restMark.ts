import type { Root } from "hast"
import type { Nodes } from "mdast"

/** A paragraph of Markdown, in characters for private use: the place where the part for buyers begins. */
const MARK = "\uE0F3\uE0F4\uE0F3"

/** The element at that place in the HTML of a whole text. */
export const REST = '<hr id="rest">'

/** Returns a whole text with the place where its part for buyers begins. */
export const withMark = (free: string | null, paid: string): string =>
  [free ?? "", MARK, paid].filter((part) => part !== "").join("\n\n")

/** Returns true for the mark in a parsed text. */
export const isMark = (node: Nodes): boolean =>
  node.type === "paragraph" &&
  node.children.length === 1 &&
  node.children[0]?.type === "text" &&
  node.children[0].value === MARK

/** Replaces the mark by its element. */
export const placeRest = (tree: Root): void => {
  const at = tree.children.findIndex(
    (node) =>
      node.type === "element" &&
      node.tagName === "p" &&
      node.children.length === 1 &&
      node.children[0]?.type === "text" &&
      node.children[0].value === MARK
  )
  if (at !== -1)
    tree.children[at] = { type: "element", tagName: "hr", properties: { id: "rest" }, children: [] }
}

/** Removes the element from the HTML of a whole text that everyone may read. */
export const withoutRest = (html: string): string => html.replace(/<hr id="rest">\n?/, "")

/** Removes a mark that became text, such as in a block of code that does not end. */
export const withoutMark = (text: string): string => text.replaceAll(MARK, "")
