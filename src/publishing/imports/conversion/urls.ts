import type { Nodes, Root } from "mdast"
import { addressesIn, writtenAddress } from "../../content/parser/addressPlaces.ts"
import { TooComplex } from "../../content/parser/parserLimits.ts"
import { joinedRoot, rootOf } from "../../content/parser/rootOf.ts"
import { excerptOf, wordsOf } from "../../content/reading/excerpt.ts"
import { definitionsIn } from "../../content/reading/unsupported.ts"
import { pushReversed } from "./stack.ts"

/** A picture of a section. */
interface FoundImage {
  readonly url: string
  readonly alt: string
}

/** The addresses of pictures and links in a section, each once, in the order of the text. */
export interface FoundUrls {
  readonly images: ReadonlyArray<FoundImage>
  readonly links: ReadonlyArray<{ readonly url: string; readonly text: string }>
}

/** Finds the addresses of a section of Markdown, also those of references. */
export const urlsIn = (markdown: string): FoundUrls => urlsOf(rootOf(markdown))

const urlsOf = (root: Root): FoundUrls => {
  const definitionOf = definitionsIn([root])
  const images = new Map<string, FoundImage>()
  const links = new Map<string, { url: string; text: string }>()
  const stack: Array<Nodes> = [root]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.type === "image" || next.type === "imageReference") {
      const url = next.type === "image" ? next.url : definitionOf(next)?.url
      if (url !== undefined && !images.has(url)) images.set(url, { url, alt: next.alt ?? "" })
    } else if (next.type === "link" || next.type === "linkReference") {
      const url = next.type === "link" ? next.url : definitionOf(next)?.url
      if (url !== undefined && !links.has(url)) links.set(url, { url, text: wordsOf(next) })
    }
    if ("children" in next) pushReversed(stack, next.children)
  }
  return { images: [...images.values()], links: [...links.values()] }
}

/** The facts about a section that an item shows. */
export interface SectionFacts extends FoundUrls {
  readonly excerpt: string
}

/** Finds the addresses and the first words of sections. Each text is parsed once. */
export const makeSectionFacts = (): ((markdown: string) => SectionFacts) => {
  const known = new Map<string, SectionFacts>()
  return (markdown) => {
    const before = known.get(markdown)
    if (before !== undefined) return before
    const root = rootOf(markdown)
    const facts = { ...urlsOf(root), excerpt: excerptOf(root.children) }
    known.set(markdown, facts)
    return facts
  }
}

/**
 * Returns a section of Markdown in which addresses are replaced, exactly in their places: all else stays byte for byte.
 * `replace` returns the new address of a picture or a link, or undefined for one that stays. A definition counts as a
 * picture if a picture refers to it.
 */
export const urlsReplaced = (
  markdown: string,
  replace: (url: string, kind: "image" | "link") => string | undefined
): string => {
  try {
    const { addresses, parts } = addressesIn(markdown)
    const ofImages = imageNamesIn(joinedRoot(parts))
    let result = ""
    let at = 0
    for (const { end, node, start, url } of addresses) {
      const isImage = node.type === "image" || (node.type === "definition" && ofImages.has(node.identifier))
      const address = replace(url, isImage ? "image" : "link")
      if (address === undefined || address === url) continue
      result += markdown.slice(at, start) + writtenAddress(address)
      at = end
    }
    return result + markdown.slice(at)
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error
    return markdown
  }
}

/** Returns the names to which pictures refer. */
const imageNamesIn = (root: Nodes): ReadonlySet<string> => {
  const names = new Set<string>()
  const stack: Array<Nodes> = [root]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.type === "imageReference") names.add(next.identifier)
    if ("children" in next) pushReversed(stack, next.children)
  }
  return names
}
