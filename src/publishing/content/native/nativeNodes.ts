import type { NativeMark, NativeNode } from "../../../../schemas/publishing/content/NativeDocument.ts"

const INLINE: ReadonlySet<string> = new Set(["text", "hardBreak", "image"])

/** Whether a node stands within a line. */
export const isInline = ({ type }: NativeNode): boolean => INLINE.has(type)

/** An attribute that is a text. */
export const attrOf = ({ attrs }: NativeNode | NativeMark, name: string): string | undefined => {
  const value = attrs?.[name]
  return typeof value === "string" ? value : undefined
}

/** Whether a node is a cell of a table, of its head or its body. */
export const isCell = ({ type }: NativeNode): boolean => type === "tableCell" || type === "tableHeader"

/** Whether a mark applies to a node. */
export const hasMark = ({ marks }: NativeNode, type: string): boolean =>
  marks?.some((mark) => mark.type === type) === true
