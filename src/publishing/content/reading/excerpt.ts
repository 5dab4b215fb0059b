import type { Nodes, RootContent } from "mdast"

/** Maximum number of characters (code points) of an excerpt. */
export const EXCERPT_MAX = 300

const LEFT_OUT: ReadonlySet<string> = new Set([
  "code",
  "table",
  "html",
  "footnoteDefinition",
  "thematicBreak"
])

/** Returns the words of inline content: the text of links, nothing of images. */
export const wordsOf = (node: Nodes): string => {
  switch (node.type) {
    case "text":
    case "inlineCode":
      return node.value
    case "break":
      return " "
    default:
      return "children" in node ? node.children.map(wordsOf).join("") : ""
  }
}

/** Yields the texts of the paragraphs or headings of a block. */
function* textsOf(block: Nodes, type: "paragraph" | "heading"): Generator<string> {
  const stack: Array<Nodes> = [block]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.type === type) yield wordsOf(next)
    else if (!LEFT_OUT.has(next.type) && "children" in next) stack.push(...next.children.toReversed())
  }
}

const isPair = (text: string, at: number) => (text.codePointAt(at) ?? 0) > 0xff_ff

/** Returns the offset after this many characters, or the length of a shorter text. */
const endOf = (text: string, characters: number) => {
  let at = 0
  for (let seen = 0; seen < characters && at < text.length; seen++) at += isPair(text, at) ? 2 : 1
  return at
}

/** Returns true for a text of more than {@link EXCERPT_MAX} characters. */
export const isTooLong = (text: string): boolean => endOf(text, EXCERPT_MAX) < text.length

/** Shortens a text to {@link EXCERPT_MAX} characters, at the end of a word and with an ellipsis. */
export const shortened = (text: string): string => {
  if (!isTooLong(text)) return text
  const end = text.lastIndexOf(" ", endOf(text, EXCERPT_MAX) - 1)
  return `${text.slice(0, end > 0 ? end : endOf(text, EXCERPT_MAX - 1))}…`
}

const excerptFrom = (texts: Iterable<string>): string => {
  let excerpt = ""
  for (const text of texts) {
    excerpt = `${excerpt} ${text.replaceAll(/\s+/gu, " ")}`.trim()
    if (excerpt.length > 2 * EXCERPT_MAX) break
  }
  return shortened(excerpt)
}

/**
 * Returns the first words of a section without marks: those of its paragraphs, in lists and quotations too, or of its
 * headings when it has no paragraph. Code blocks, tables and images are left out. Takes only the blocks that it needs.
 */
export const excerptOf = (blocks: Iterable<RootContent>): string => {
  const headings: Array<string> = []
  function* paragraphs() {
    for (const block of blocks) {
      headings.push(...textsOf(block, "heading"))
      yield* textsOf(block, "paragraph")
    }
  }
  return excerptFrom(paragraphs()) || excerptFrom(headings)
}
