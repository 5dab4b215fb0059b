import type { NativeMark, NativeNode } from "../../schemas/content/NativeDocument.ts"

const INLINE: ReadonlySet<string> = new Set(["text", "hardBreak", "image"])

/** Whether a node stands within a line. */
export const isInline = ({ type }: NativeNode): boolean => INLINE.has(type)

/** An attribute that is a text. */
export const attrOf = ({ attrs }: NativeNode | NativeMark, name: string): string | undefined => {
  const value = attrs?.[name]
  return typeof value === "string" ? value : undefined
}

/** The addresses that a node without text shows, such as those of a video. */
const ADDRESSES = ["src", "href", "url"]

/** All text in a node; of one that has none, such as a video, the address that it shows. */
export const textOf = (node: NativeNode): string => {
  const texts: Array<string> = []
  const stack: Array<NativeNode> = [node]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.text !== undefined) texts.push(next.text)
    else if (next.type === "hardBreak") texts.push("\n")
    else if (next.content === undefined) {
      for (const name of ADDRESSES) texts.push(attrOf(next, name) ?? "")
    } else stack.push(...next.content.toReversed())
  }
  return texts.join("")
}
