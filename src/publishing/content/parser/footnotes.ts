import type { FootnoteDefinition, FootnoteReference } from "mdast"
import type { Handle, Options as ToMarkdown } from "mdast-util-to-markdown"
import { gfmFootnote } from "micromark-extension-gfm-footnote"
import type { Construct, Extension, ParseContext, Tokenizer } from "micromark-util-types"
import type { Work } from "./parserLimits.ts"

/** The names of footnotes as the parser asks for them: a list, which is searched for each reference. */
type Names = Pick<Array<string>, "includes" | "push">

export type Parser = Omit<ParseContext, "gfmFootnotes"> & { gfmFootnotes?: Names }

/** Makes a set of names the list that the parser asks for, so that a reference takes no search. */
export const namesOf = (names: Set<string>): Names => ({
  includes: (name) => names.has(name),
  push: (...added) => {
    for (const name of added) names.add(name)
    return names.size
  }
})

/** Footnotes (GFM). The search after an exclamation mark starts at every `]`, so it is added only to texts with `![^`. */
export const footnotes = (source: string, work: Work): Extension => {
  const { document, text = {} } = gfmFootnote()
  const afterMark = text[93] as Construct
  const tokenize: Tokenizer = function (effects, ok, nok) {
    work.again(this.events.length / 4)
    return afterMark.tokenize.call(this, effects, ok, nok)
  }
  return {
    document,
    text: { 91: text[91], ...(source.includes("![^") ? { 93: { ...afterMark, tokenize } } : {}) }
  }
}

/** Maximum number of characters of a label that the parser reads. */
const LABEL_MAX = 999

/** Characters of a label that need no character reference, in a cell neither. */
const PLAIN = /[^\p{L}\p{M}\p{N}._-]/gu

/** Spells a label in one way, so that a footnote and its references have the same. */
const spelled = (label: string) => label.replaceAll(PLAIN, (it) => `&#${it.codePointAt(0)};`)

const labelOf = ({ identifier, label }: FootnoteReference | FootnoteDefinition) =>
  `[^${spelled(label ?? identifier)}]`

/** Returns true for a label that Markdown can have. */
export const isFootnoteLabel = (label: string): boolean =>
  label !== "" && spelled(label).length <= LABEL_MAX && label.isWellFormed() && !label.includes("\0")

const reference: Handle = (node: FootnoteReference) => labelOf(node)

const footnote: Handle = (node: FootnoteDefinition, _parent, state, info) => {
  const exit = state.enter("footnoteDefinition")
  const tracker = state.createTracker(info)
  const mark = tracker.move(`${labelOf(node)}:`)
  tracker.shift(4)
  const lines = state.indentLines(state.containerFlow(node, tracker.current()), (line, at, isBlank) =>
    at === 0 || isBlank ? line : `    ${line}`
  )
  exit()
  return lines === "" ? mark : `${mark} ${lines}`
}

/** Writes footnotes and their references. */
export const footnotesToMarkdown: ToMarkdown = {
  handlers: {
    footnoteDefinition: footnote,
    footnoteReference: Object.assign(reference, { peek: () => "[" })
  }
}
