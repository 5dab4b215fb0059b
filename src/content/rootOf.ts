import type { Root } from "mdast"
import { parse } from "./parse.ts"

/** The tree of a whole text. Throws `TooComplex` of one that is not stored. */
export const rootOf = (source: string): Root => ({
  type: "root",
  children: parse(source).flatMap(({ root }) => root.children)
})
