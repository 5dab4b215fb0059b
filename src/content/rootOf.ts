import type { Root } from "mdast"
import { TooComplex } from "./bounds.ts"
import { parse } from "./parse.ts"

const asText = (source: string): Root => ({
  type: "root",
  children: [{ type: "paragraph", children: [{ type: "text", value: source }] }]
})

/** The tree of a whole text. One that is too complex to be read, which no author can save, is one paragraph. */
export const rootOf = (source: string): Root => {
  try {
    return { type: "root", children: parse(source).flatMap(({ root }) => root.children) }
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error
    return asText(source)
  }
}
