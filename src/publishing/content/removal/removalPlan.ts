import type { Nodes } from "mdast"
import { LINE_ENDING } from "../parser/lineEndings.ts"
import { parse } from "../parser/parse.ts"
import { definitionsIn } from "../reading/unsupported.ts"
import type { LeadsTo } from "./leadingTo.ts"

/**
 * The fate of a node when a URL is removed. It stays, it goes with its content, or it opens: its own marks go and its
 * content stays.
 */
type Fate = "stays" | "goes" | "opens"

/** A node of a whole section, with its place in the source and its fate. */
export interface Placed {
  readonly node: Nodes
  /** Offsets in UTF-16 code units. */
  readonly start: number
  readonly end: number
  readonly children: ReadonlyArray<Placed>
  readonly fate: Fate
  /** True when any part of it does not stay. */
  readonly isTouched: boolean
}

/** Marks around text, which mean nothing without text. */
const SPANS: ReadonlySet<string> = new Set([
  "emphasis",
  "strong",
  "delete",
  "underline",
  "link",
  "linkReference"
])

/** Returns true for a block of lines of text. */
export const isTextBlock = ({ type }: Nodes): boolean => type === "paragraph" || type === "heading"

/** Returns true for a node that leaves nothing to see. */
export const isBlank = ({ fate, node }: Placed): boolean =>
  fate === "goes" || node.type === "break" || (node.type === "text" && node.value.trim() === "")

const gone = (it: Placed): Placed => ({ ...it, fate: "goes", isTouched: true })

/** Removes hard breaks at an end of a block beside a removed node: they have nothing left to divide. */
const withoutEdgeBreaks = (children: ReadonlyArray<Placed>): ReadonlyArray<Placed> => {
  const goes = (it: Placed) => it.fate === "goes"
  const from = children.findIndex((it) => !isBlank(it))
  const to = children.findLastIndex((it) => !isBlank(it)) + 1
  const startGoes = children.slice(0, from).some(goes)
  const endGoes = children.slice(to).some(goes)
  return children.map((it, at) =>
    it.node.type === "break" && ((startGoes && at < from) || (endGoes && at >= to)) ? gone(it) : it
  )
}

/** Returns the offset of each line. */
const lineStarts = (source: string): ReadonlyArray<number> => [
  0,
  ...[...source.matchAll(LINE_ENDING)].map(({ 0: ending, index }) => index + ending.length)
]

/**
 * Returns the blocks of a section with the fate of each node when every image, link and definition that leads to one of some URLs
 * is removed. Spans and blocks without other content go, too. Throws `TooComplex`.
 */
export const placedIn = (source: string, isLost: LeadsTo): ReadonlyArray<Placed> => {
  const parts = parse(source)
  const definitionOf = definitionsIn(parts.map(({ root }) => root))
  const starts = lineStarts(source)
  const mark = source.startsWith("\uFEFF") ? 1 : 0

  const refers = (node: Nodes) => {
    switch (node.type) {
      case "image":
      case "link":
      case "definition":
        return isLost(node.url)
      case "imageReference":
      case "linkReference":
        return isLost(definitionOf(node)?.url ?? "")
      default:
        return false
    }
  }

  const place = (node: Nodes, base: number): Placed => {
    const start = base + (node.position?.start.offset ?? 0)
    const end = base + (node.position?.end.offset ?? 0)
    const isReference = refers(node)
    const whole: Placed = { node, start, end, children: [], fate: "stays", isTouched: false }
    // An autolink is its own label.
    if (isReference && (!("children" in node) || source[start] !== "[")) return gone(whole)
    const within = "children" in node ? node.children.map((child) => place(child, base)) : []
    const isTouched = isReference || within.some((it) => it.isTouched)
    const isHollow = isTouched && (SPANS.has(node.type) || isTextBlock(node)) && within.every(isBlank)
    if (isHollow) return gone(whole)
    const children = isTouched && isTextBlock(node) ? withoutEdgeBreaks(within) : within
    return { ...whole, children, isTouched, fate: isReference ? "opens" : "stays" }
  }

  return parts.flatMap(({ linesBefore, root }) => {
    const base = linesBefore === 0 ? mark : (starts[linesBefore] ?? 0)
    return root.children.map((block) => place(block, base))
  })
}

/** The mark of an empty place: a zero width space, written as punctuation that changes nothing beside it. */
export const PLACEHOLDER = "&#8203;"

const UNSEEN = /[\s\u200B]+/gu

/** A node by its type, its attributes as JSON, and its content. */
type Meaning = readonly [type: string, says: string, children: ReadonlyArray<Meaning>]

const isNoBreak = ([type]: Meaning) => type !== "break"

const meaningOf = (it: Placed): ReadonlyArray<Meaning> => {
  if (it.fate === "goes") return []
  const children = childrenOf(it.children)
  if (it.fate === "opens") return children
  const { node } = it
  if (node.type === "text") {
    const value = node.value.replaceAll(UNSEEN, "")
    return value === "" ? [] : [[node.type, value, []]]
  }
  const says = JSON.stringify({ ...node, children: 0, position: 0, spread: 0 })
  if (!isTextBlock(node)) return [[node.type, says, children]]
  const from = children.findIndex(isNoBreak)
  return from < 0 ? [] : [[node.type, says, children.slice(from, children.findLastIndex(isNoBreak) + 1)]]
}

const childrenOf = (them: ReadonlyArray<Placed>): ReadonlyArray<Meaning> => {
  const children: Array<Meaning> = []
  for (const child of them.flatMap(meaningOf)) {
    const [type, says] = child
    const last = children.at(-1)
    const isSame = last?.[0] === type
    if (type === "text" && isSame) children[children.length - 1] = [type, `${last[1]}${says}`, []]
    else if (type !== "break" || !isSame) children.push(child)
  }
  return children
}

/**
 * Returns the meaning of the blocks that stay, for comparison: without places, white space, the looseness of lists, and
 * blocks and breaks without content.
 */
export const meaningLeft = (blocks: ReadonlyArray<Placed>): string => JSON.stringify(childrenOf(blocks))
