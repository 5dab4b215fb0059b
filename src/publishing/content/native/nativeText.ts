import type { NativeNode } from "../../../../schemas/publishing/posts/NativeDocument.ts"
import { isSayable } from "./nativeFeatures.ts"
import { attrOf } from "./nativeNodes.ts"

/** Returns the address of a node without text, such as a video. */
const NAMES = ["src", "href", "url", "label", "name"]

const nameOf = (node: NativeNode) => {
  const name = NAMES.find((attr) => attrOf(node, attr))
  if (name !== undefined) return attrOf(node, name) ?? ""
  return isSayable(node.type) ? "" : `[${node.type}]`
}

/** Returns all text in a node, or else its address, or else the type of a node unknown to Markdown. */
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
