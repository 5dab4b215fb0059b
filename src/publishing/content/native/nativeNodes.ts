import type { NativeMark, NativeNode } from "../../../../schemas/publishing/posts/NativeDocument.ts"

const INLINE: ReadonlySet<string> = new Set(["text", "hardBreak", "image", "footnoteReference"])

/** Returns true for a node within a line. */
export const isInline = ({ type }: NativeNode): boolean => INLINE.has(type)

/** Returns an attribute that is a text, or undefined. */
export const attrOf = ({ attrs }: NativeNode | NativeMark, name: string): string | undefined => {
  const value = attrs?.[name]
  return typeof value === "string" ? value : undefined
}

/** Returns true for a cell of the head or body of a table. */
export const isCell = ({ type }: NativeNode): boolean => type === "tableCell" || type === "tableHeader"

/** Returns true when the node has the mark. */
export const hasMark = ({ marks }: NativeNode, type: string): boolean =>
  marks?.some((mark) => mark.type === type) === true
