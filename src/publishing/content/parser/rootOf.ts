import type { Root } from "mdast"
import { parse, type Part } from "./parse.ts"
import { TooComplex } from "./parserLimits.ts"

const asText = (source: string): Root => ({
  type: "root",
  children: [{ type: "paragraph", children: [{ type: "text", value: source }] }]
})

/** Returns the tree of all parts of a text. */
export const joinedRoot = (parts: ReadonlyArray<Part>): Root => ({
  type: "root",
  children: parts.flatMap(({ root }) => root.children)
})

/** Returns the tree of a whole text. A too complex text, which no author can save, becomes one paragraph. */
export const rootOf = (source: string): Root => {
  try {
    return joinedRoot(parse(source))
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error
    return asText(source)
  }
}
