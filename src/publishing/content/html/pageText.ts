import type { Element, ElementContent, Root } from "hast"
import { toHtml } from "hast-util-to-html"
import { costOf } from "../parser/estimatedCost.ts"
import { rootOf } from "../parser/rootOf.ts"
import { linkFootnotes } from "./footnotes.ts"
import { elementsOf, levelOf, plainText } from "./headings.ts"
import { placeRest, withoutMark } from "./restMark.ts"
import { safeTreeOf, type TextPlace, writtenHtml } from "./safeHtml.ts"

/** Returns the nodes of a code block in colours; undefined for a language that it does not know, and for a block that takes too long. */
export type Highlight = (code: string, language: string) => ReadonlyArray<ElementContent> | undefined

/** A heading as the contents of a text name it. */
export interface PageHeading {
  /** 2 for the highest. */
  readonly level: number
  readonly id: string
  readonly text: string
}

/** A text as its page shows it. */
export interface PageText {
  readonly html: string
  readonly words: number
  readonly images: number
  /** The first headings that have words. */
  readonly headings: ReadonlyArray<PageHeading>
}

/**
 * The number of the code that makes the HTML of pages. Raise it with each change of what that code makes, the grammars of
 * code included. Saved HTML of another number is made again at its next read.
 */
export const RENDERER = 4

/** Maximum number of headings that contents have, and of characters of each. */
const HEADINGS_MAX = 100
const HEADING_MAX = 200

/** Maximum number of characters of a code block in colours. */
const COLOURED_MAX = 20_000

/** The highest heading of a text: the one above it is the title of the page. */
const HIGHEST = 2
const LOWEST = 6

const segmenter = new Intl.Segmenter("en", { granularity: "word" })

/** Counts the words of a text, in scripts without spaces between words, too. Takes 15 ms for 200,000 characters. */
const countWords = (text: string): number => {
  let words = 0
  for (const { isWordLike } of segmenter.segment(text)) if (isWordLike === true) words++
  return words
}

/** Classes of the highlighter by the classes of the page. */
const COLOURS: ReadonlyArray<readonly [RegExp, string]> = [
  [/hljs-(keyword|literal|built_in|selector-tag|meta|doctag|operator)/, "k"],
  [/hljs-(string|regexp|addition|char)/, "s"],
  [/hljs-(number|attr|attribute|symbol|variable|template-variable|property|params)/, "n"],
  [/hljs-(title|function|name|section|type|class|selector)/, "f"],
  [/hljs-(comment|quote|deletion)/, "c"]
]

/**
 * Returns the text in spans with the classes of the page, one after another: the innermost class of a text counts.
 * Grammars nest their classes as deeply as the code does, which may be too deep for a recursion.
 */
const recoloured = (nodes: ReadonlyArray<ElementContent>): Array<ElementContent> => {
  const flat: Array<{ readonly colour: string | undefined; value: string }> = []
  const stack = nodes.toReversed().map((node) => ({ node, colour: undefined as string | undefined }))
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { colour, node } = next
    if (node.type === "text") {
      const last = flat.at(-1)
      if (last !== undefined && last.colour === colour) last.value += node.value
      else flat.push({ colour, value: node.value })
    } else if (node.type === "element") {
      const classes = String(node.properties["className"])
      const own = COLOURS.find(([pattern]) => pattern.test(classes))?.[1] ?? colour
      stack.push(...node.children.toReversed().map((child) => ({ node: child, colour: own })))
    }
  }
  return flat.map(({ colour, value }) =>
    colour === undefined
      ? { type: "text", value }
      : {
          type: "element",
          tagName: "span",
          properties: { className: [colour] },
          children: [{ type: "text", value }]
        }
  )
}

const colour = (code: Element, highlight: Highlight) => {
  const language = /language-([\w+#-]+)/.exec(String(code.properties["className"]))?.[1]
  const text = plainText(code)
  const found = language === undefined || text.length > COLOURED_MAX ? undefined : highlight(text, language)
  if (found !== undefined) code.children = recoloured(found)
  delete code.properties["className"]
}

const hasLink = (children: ReadonlyArray<ElementContent>) =>
  elementsOf(children).some(({ tagName }) => tagName === "a" || tagName === "img")

/** Makes a heading the target of a link to itself. */
const linkHeading = (heading: Element, id: string) => {
  heading.properties = { id }
  if (hasLink(heading.children)) return
  heading.children = [
    { type: "element", tagName: "a", properties: { href: `#${id}` }, children: heading.children }
  ]
}

const aligned = (cell: Element) => {
  const { align } = cell.properties
  cell.properties = align === "center" || align === "right" ? { className: [`a-${align}`] } : {}
}

/** Wraps a table that is wider than the page into a part that scrolls. */
const scrolling = (table: Element): Element => ({
  type: "element",
  tagName: "section",
  properties: { className: ["scroll"], ariaLabel: "Table", tabIndex: 0 },
  children: [table]
})

const withWrappedTables = <Node extends ElementContent | Root["children"][number]>(
  nodes: Array<Node>
): Array<Node> =>
  nodes.map((node) => {
    if (node.type !== "element") return node
    node.children = withWrappedTables(node.children)
    return node.tagName === "table" ? (scrolling(node) as Node) : node
  })

/** The place of a text on a page. */
type PagePlace = Pick<TextPlace, "hosts" | "url">

/** Returns a text that takes too long to render: one paragraph, as its author wrote it. */
export const plainPageText = (source: string): PageText => ({
  html: toHtml({
    type: "element",
    tagName: "p",
    properties: {},
    children: [{ type: "text", value: withoutMark(source) }]
  }),
  words: countWords(source),
  images: 0,
  headings: []
})

/**
 * Renders a section of Markdown for the page of its Post, from the same tree as `renderHtml`. Headings begin below the title
 * of the page, and each has an id that begins with `h-`. Code has colours, and wide parts take the keyboard's focus to
 * scroll. The result counts the words that a reader sees. Relative links lead on from `url`; without it, they stay
 * relative, and so do images of the service.
 */
export const pageText = (source: string, highlight: Highlight, place: PagePlace = {}): PageText => {
  const { headings, tree } = safeTreeOf(rootOf(source), { ...place, isPage: true })
  linkFootnotes(tree)
  const all = elementsOf(tree.children)
  const levels = all.map(levelOf).filter((level) => level > 0)
  const down = HIGHEST - Math.min(...levels)
  const shown: Array<PageHeading> = []
  let heading = 0
  let images = 0
  for (const node of all) {
    const level = levelOf(node)
    if (level > 0) {
      const id = headings.ids[heading++] ?? ""
      const text = plainText(node).trim().slice(0, HEADING_MAX).toWellFormed()
      const place = Math.min(level + down, LOWEST)
      if (text !== "" && shown.length < HEADINGS_MAX) shown.push({ level: place, id, text })
      node.tagName = `h${place}`
      linkHeading(node, id)
    } else if (node.tagName === "pre") {
      node.properties = { tabIndex: 0 }
      for (const code of node.children) if (code.type === "element") colour(code, highlight)
    } else if (node.tagName === "th" || node.tagName === "td") aligned(node)
    else if (node.tagName === "img" && images++ > 0) {
      node.properties = { ...node.properties, loading: "lazy", decoding: "async" }
    }
  }
  placeRest(tree)
  const words = countWords(tree.children.map(plainText).join(""))
  const html = withoutMark(writtenHtml({ ...tree, children: withWrappedTables(tree.children) }))
  return { html, words, images, headings: shown }
}

/** Leaves code without colours. */
export const inOneColour: Highlight = () => undefined

/** Estimated µs up to which a text is rendered in place. */
const QUICK_MICROS = 2000

/** Marks of code that may be in colours. */
const FENCE = /```|~~~/

/**
 * As {@link pageText}; returns undefined for a text that would delay other requests, or that needs the highlighter. A task for a
 * thread costs a short text several times its rendering.
 */
export const pageTextQuickly = (source: string, place: PagePlace): PageText | undefined =>
  FENCE.test(source) || costOf(source) > QUICK_MICROS ? undefined : pageText(source, inOneColour, place)
