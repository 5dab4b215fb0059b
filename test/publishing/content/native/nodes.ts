import type { NativeDocument, NativeNode } from "../../../../schemas/publishing/posts/NativeDocument.ts"

/** Makes a document of these nodes. */
export const doc = (...content: ReadonlyArray<NativeNode>): NativeDocument => ({ type: "doc", content })

/** Makes a paragraph. */
export const p = (...content: ReadonlyArray<NativeNode>): NativeNode => ({ type: "paragraph", content })

/** Makes a text with these marks. */
export const t = (text: string, ...marks: ReadonlyArray<string>): NativeNode => ({
  type: "text",
  ...(marks.length === 0 ? {} : { marks: marks.map((type) => ({ type })) }),
  text
})

/** Makes a document with one table of rows of cells, each of one block. */
export function table(rows: ReadonlyArray<ReadonlyArray<NativeNode>>, attrs: object = {}): NativeDocument {
  return doc({
    type: "table",
    content: rows.map((cells, row) => ({
      type: "tableRow",
      content: cells.map((cell): NativeNode => ({
        type: row === 0 ? "tableHeader" : "tableCell",
        attrs: { ...attrs },
        content: [cell]
      }))
    }))
  })
}
