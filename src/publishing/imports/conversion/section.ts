import { SECTION_CHARACTERS_MAX } from "../../../../schemas/publishing/posts/PostDraft.ts"
import { mdastOf } from "../../content/native/toMdast.ts"
import { TooComplex } from "../../content/parser/parserLimits.ts"
import { markdownOf } from "../../content/parser/toMarkdown.ts"
import { frontMatterIn } from "../../content/reading/frontMatter.ts"
import { readMarkdown } from "../../content/reading/readMarkdown.ts"
import { type Nodes, paragraph, textNode, wordsOf } from "./nodes.ts"
import { pushReversed } from "./stack.ts"

/** A section that could be made, or the reason why it could not. */
export type MadeSection =
  | { readonly markdown: string; readonly isFlattened: boolean }
  | { readonly refused: "section_too_long" | "too_complex" }

/** Returns true for a section that posts accept. */
export const isAccepted = (markdown: string): boolean => {
  const reading = readMarkdown(markdown)
  return !reading.isTooComplex && reading.unsupported.length === 0 && frontMatterIn(markdown) === undefined
}

/** Characters of a section as its limit counts them. */
export const isTooLong = (markdown: string): boolean => {
  if (markdown.length <= SECTION_CHARACTERS_MAX) return false
  if (markdown.length > 2 * SECTION_CHARACTERS_MAX) return true
  let characters = 0
  for (const _ of markdown) characters++
  return characters > SECTION_CHARACTERS_MAX
}

const written = (blocks: Nodes): string | undefined => {
  try {
    const markdown = markdownOf(mdastOf({ type: "doc", content: blocks }))
    // A section that began like front matter would be refused.
    return frontMatterIn(markdown) === undefined ? markdown : `\n${markdown}`
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TooComplex)) throw error
    return undefined
  }
}

/** Returns the blocks as paragraphs without marks. */
const flattened = (blocks: Nodes): Nodes => {
  const paragraphs: Array<Nodes[number]> = []
  const stack = [...blocks].toReversed()
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { content = [], type } = next
    if (type === "paragraph" || type === "heading" || type === "codeBlock" || type === "text") {
      const words = wordsOf([next])
      if (words !== "") paragraphs.push(paragraph([textNode(words)]))
    } else pushReversed(stack, content)
  }
  return paragraphs
}

/** Characters of all texts in blocks. */
const lengthOf = (blocks: Nodes): number => {
  let length = 0
  const stack = [...blocks]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    length += next.text?.length ?? 0
    pushReversed(stack, next.content ?? [])
  }
  return length
}

/** Writes blocks as a section of Markdown that posts accept. Blocks that nest too deeply become paragraphs of plain text. */
export const sectionOf = (blocks: Nodes): MadeSection => {
  if (blocks.length === 0) return { markdown: "", isFlattened: false }
  if (lengthOf(blocks) > 2 * SECTION_CHARACTERS_MAX) return { refused: "section_too_long" }
  const whole = written(blocks)?.trimEnd()
  if (whole !== undefined && isTooLong(whole)) return { refused: "section_too_long" }
  if (whole !== undefined && isAccepted(whole)) return { markdown: whole, isFlattened: false }
  const plain = written(flattened(blocks))?.trimEnd()
  if (plain === undefined) return { refused: "too_complex" }
  if (isTooLong(plain)) return { refused: "section_too_long" }
  return isAccepted(plain) ? { markdown: plain, isFlattened: true } : { refused: "too_complex" }
}
