import type { NativeNode } from "../../../../schemas/publishing/content/NativeDocument.ts"
import { isSayable } from "./nativeFeatures.ts"
import { attrOf } from "./nativeNodes.ts"

/** What a node without text can be known by, such as the address of a video. */
const NAMES = ["src", "href", "url", "label", "name"]

const nameOf = (node: NativeNode) => {
  const name = NAMES.find((attr) => attrOf(node, attr))
  if (name !== undefined) return attrOf(node, name) ?? ""
  return isSayable(node.type) ? "" : `[${node.type}]`
}

/** All text in a node; one that has none is its address, or its type where Markdown has no such thing. */
export const textOf = (node: NativeNode): string => {
  const texts: Array<string> = []
  const stack: Array<NativeNode> = [node]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.text !== undefined) texts.push(next.text)
    else if (next.type === "hardBreak") texts.push("\n")
    else if (next.content === undefined) texts.push(nameOf(next))
    else stack.push(...next.content.toReversed())
  }
  return texts.join("")
}
