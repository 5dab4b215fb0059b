import type { Nodes } from "mdast"
import { TooComplex } from "../../../content/parser/parserLimits.ts"
import { placedSource, type PlacedNode } from "../../conversion/markdown/codeRanges.ts"
import { pushReversed } from "../../conversion/stack.ts"
import { isMembers, type Members, textMember, truthMember } from "./frontMatter.ts"

/** A text in Markdown on both sides of its paywall. */
export interface WalledText {
  readonly free: string
  readonly paid: string
}

const MARKER = /<!--\s{0,20}(?:paid|members-only)\s{0,20}-->/i
const WHOLE = /^\s*<!--\s{0,20}(?:paid|members-only)\s{0,20}-->\s*$/i

const hasMarker = (block: Nodes): boolean => {
  const stack: Array<Nodes> = [block]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.type === "html" && MARKER.test(next.value)) return true
    if ("children" in next) pushReversed(stack, next.children)
  }
  return false
}

/** Returns the definitions before the wall that the text after it refers to. They are public already. */
const definitionsFor = (source: string, blocks: ReadonlyArray<PlacedNode>, paid: string): string => {
  const lower = paid.toLowerCase()
  return blocks
    .filter(({ node }) => node.type === "definition" || node.type === "footnoteDefinition")
    .filter(({ node }) => {
      const label = "label" in node ? (node.label ?? "").toLowerCase() : ""
      return lower.includes(node.type === "definition" ? `[${label}]` : `[^${label}]`)
    })
    .map(({ end, start }) => source.slice(start, end))
    .join("\n\n")
}

/**
 * Splits Markdown at its first marker of a paywall, never within code; undefined without a marker. A block with a marker and
 * more belongs to the paid part as a whole.
 */
export const walledMarkdown = (source: string): WalledText | undefined => {
  if (!MARKER.test(source)) return undefined
  try {
    const { blocks } = placedSource(source)
    const index = blocks.findIndex(({ node }) => hasMarker(node))
    const wall = blocks[index]
    if (wall === undefined) return undefined
    const isAlone = wall.node.type === "html" && WHOLE.test(wall.node.value)
    const paid = source.slice(isAlone ? wall.end : wall.start)
    const definitions = definitionsFor(source, blocks.slice(0, index), paid)
    return {
      free: source.slice(0, wall.start),
      paid: definitions === "" ? paid : `${paid.trimEnd()}\n\n${definitions}`
    }
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error
    // It cannot be read, so nothing of it is free.
    return { free: "", paid: source }
  }
}

/** Members within which themes and our own export keep members of a post. */
const INNER = ["pennypress", "params", "extra", "<<"]

/** Returns the word that puts a text behind a wall, or undefined. An unknown word is one. */
export const wallWord = (members: Members): string | undefined => {
  for (const name of ["access", "visibility"]) {
    const word = textMember(members, name).trim()
    if (word !== "" && !/^(?:public|free)$/i.test(word)) return word
    if (word === "" && members.has(name) && members.get(name) !== null) return name
  }
  if (members.has("paid") && truthMember(members, "paid") !== false && members.get("paid") !== null)
    return "paid"
  for (const name of ["price", "pricexno", "price_xno"]) {
    const given = members.get(name)
    if (given === undefined || given === null || given === false) continue
    const price = textMember(members, name).trim()
    if (typeof given === "object" || (price !== "" && !/^0*(?:\.0*)?$/.test(price))) return "price"
  }
  for (const name of INNER) {
    const inner = members.get(name)
    const word = isMembers(inner) ? wallWord(inner) : undefined
    if (word !== undefined) return word
  }
  return undefined
}
