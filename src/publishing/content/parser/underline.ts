import type { Delete, Parent, PhrasingContent } from "mdast"
import type { Extension as FromMarkdown } from "mdast-util-from-markdown"
import type { Handle, Options as ToMarkdown } from "mdast-util-to-markdown"

/** Text between `++`, the underline of spec 4.3.7. */
interface Underline extends Parent {
  type: "underline"
  children: Array<PhrasingContent>
}

declare module "mdast" {
  interface PhrasingContentMap {
    underline: Underline
  }
  interface RootContentMap {
    underline: Underline
  }
}

declare module "mdast-util-to-markdown" {
  interface ConstructNameMap {
    underline: "underline"
  }
}

/** Makes `underline` nodes from the spans of the delimiter runs. */
export const underlineFromMarkdown: FromMarkdown = {
  canContainEols: ["underline"],
  enter: {
    underline(token) {
      this.enter({ type: "underline", children: [] }, token)
    }
  },
  exit: {
    underline(token) {
      this.exit(token)
    }
  }
}

/** Places in which marks are no spans. */
export const WITHOUT_SPANS = [
  "autolink",
  "destinationLiteral",
  "destinationRaw",
  "reference",
  "titleQuote",
  "titleApostrophe"
] as const

/** Writes the nodes of one type between two marks, and escapes text that would become one. */
const pairToMarkdown = (
  type: "delete" | "underline",
  construct: "strikethrough" | "underline",
  marker: "~" | "+"
): ToMarkdown => {
  const mark = marker.repeat(2)
  const handle: Handle = (node: Delete | Underline, _parent, state, info) => {
    const exit = state.enter(construct)
    const text = state.containerPhrasing(node, { ...info, before: marker, after: marker })
    exit()
    return `${mark}${text}${mark}`
  }
  const attention = () => ({ construct, markers: [marker], sizes: [2] })
  const pattern = `\\${marker}`
  return {
    handlers: { [type]: Object.assign(handle, { attention, peek: () => marker }) },
    unsafe: [
      { character: marker, inConstruct: construct, notInConstruct: [...WITHOUT_SPANS] },
      { character: marker, before: pattern, inConstruct: "phrasing", notInConstruct: [...WITHOUT_SPANS] },
      { character: marker, after: pattern, inConstruct: "phrasing", notInConstruct: [...WITHOUT_SPANS] }
    ]
  }
}

/** Writes `~~strikethrough~~`. A single tilde stays text. */
export const strikethroughToMarkdown = pairToMarkdown("delete", "strikethrough", "~")

/** Writes `++underline++`. */
export const underlineToMarkdown = pairToMarkdown("underline", "underline", "+")
