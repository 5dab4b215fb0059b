import { LINE_ENDING } from "../parser/lineEndings.ts"
import type { Part } from "../parser/parse.ts"
import { wordsOf } from "./excerpt.ts"

/** A text whose first heading is its title. */
interface TitledText {
  readonly title: string
  /** The line of the heading, from 1. */
  readonly line: number
  /** The text without the lines of the heading. */
  readonly markdown: string
}

/** Takes the first heading out of a parsed text, as its title; undefined without a heading. */
export const titledTextOf = (source: string, parts: ReadonlyArray<Part>): TitledText | undefined => {
  for (const { linesBefore, root } of parts) {
    const heading = root.children.find(({ type }) => type === "heading")
    if (heading?.position === undefined) continue
    const { end, start } = heading.position
    const lines = source.split(LINE_ENDING)
    lines.splice(linesBefore + start.line - 1, end.line - start.line + 1)
    const title = wordsOf(heading).replaceAll(/\s+/gu, " ").trim()
    return { title, line: linesBefore + start.line, markdown: lines.join("\n") }
  }
  return undefined
}
