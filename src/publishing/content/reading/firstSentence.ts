import type { NativeDocument, NativeNode } from "../../../../schemas/publishing/posts/NativeDocument.ts"

/** Characters of a text in which its first sentence is looked for. */
const BEGINNING = 4000

/** The beginnings of footnotes. Their references may stand before the cut. */
const FOOTNOTE = /^ {0,3}\[\^[^\s[\]]{1,999}\]:/gm

/** Returns enough of a section to find its first sentence, with the names of its footnotes: a reference has no words then. */
export const beginningOf = (source: string): string =>
  [source.slice(0, BEGINNING), ...(source.slice(BEGINNING).match(FOOTNOTE) ?? [])].join("\n\n")

/** Code points of a sentence, at most. A longer one ends at a word. */
const CODE_POINTS_MAX = 300

const textOf = ({ content = [], text, type }: NativeNode): string =>
  text ?? (type === "hardBreak" ? " " : content.map(textOf).join(""))

/** Blocks that have no sentence of the text. */
const APART: ReadonlySet<string> = new Set(["heading", "codeBlock", "footnoteDefinition"])

/** Returns the first paragraph with words, also within a quotation or a list. */
const firstParagraph = (nodes: ReadonlyArray<NativeNode>): string => {
  for (const node of nodes) {
    if (APART.has(node.type)) continue
    const text =
      node.type === "paragraph"
        ? textOf(node).replaceAll(/\s+/g, " ").trim()
        : firstParagraph(node.content ?? [])
    if (text !== "") return text
  }
  return ""
}

const segmenterOf = (language: string) => {
  try {
    return new Intl.Segmenter(language, { granularity: "sentence" })
  } catch {
    return new Intl.Segmenter("en", { granularity: "sentence" })
  }
}

/** Returns the first sentence of a section, as plain text; empty for one without words. */
export const firstSentenceOf = (document: NativeDocument, language: string): string => {
  const [first] = segmenterOf(language).segment(firstParagraph(document.content))
  const sentence = first?.segment.trim() ?? ""
  const points = [...sentence]
  if (points.length <= CODE_POINTS_MAX) return sentence
  return `${points
    .slice(0, CODE_POINTS_MAX)
    .join("")
    .replace(/\s+\S*$/, "")}…`
}
