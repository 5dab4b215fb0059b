import type { Root } from "mdast"
import { parse, type Part } from "./parse.ts"
import { TooComplex } from "./parserLimits.ts"

const asText = (source: string): Root => ({
  type: "root",
  children: [{ type: "paragraph", children: [{ type: "text", value: source }] }]
})

/** The tree of all parts of a text. */
export const joinedRoot = (parts: ReadonlyArray<Part>): Root => ({
  type: "root",
  children: parts.flatMap(({ root }) => root.children)
})

/** The tree of a whole text. One that is too complex to be read, which no author can save, is one paragraph. */
export const rootOf = (source: string): Root => {
  try {
    return joinedRoot(parse(source))
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error
    return asText(source)
  }
}
