import type { Parent, PhrasingContent } from "mdast"
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

const handle: Handle = (node: Underline, _parent, state, info) => {
  const exit = state.enter("underline")
  const text = state.containerPhrasing(node, { ...info, before: "+", after: "+" })
  exit()
  return `++${text}++`
}

const underline = Object.assign(handle, {
  attention: () => ({ construct: "underline", markers: ["+"], sizes: [2] }) as const,
  peek: () => "+"
})

const WITHOUT_SPANS = [
  "autolink",
  "destinationLiteral",
  "destinationRaw",
  "reference",
  "titleQuote",
  "titleApostrophe"
] as const

/** Writes `underline` nodes, and escapes text that would become one. */
export const underlineToMarkdown: ToMarkdown = {
  handlers: { underline },
  unsafe: [
    { character: "+", inConstruct: "underline", notInConstruct: [...WITHOUT_SPANS] },
    { character: "+", before: "\\+", inConstruct: "phrasing", notInConstruct: [...WITHOUT_SPANS] },
    { character: "+", after: "\\+", inConstruct: "phrasing", notInConstruct: [...WITHOUT_SPANS] }
  ]
}
