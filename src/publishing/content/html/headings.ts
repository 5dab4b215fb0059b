import type { Element, ElementContent, Root, RootContent } from "hast"

const HEADING = /^h([1-6])$/

/** Returns the level of a heading, or 0 for any other element. */
export const levelOf = ({ tagName }: Element): number => Number(HEADING.exec(tagName)?.[1] ?? 0)

/** Returns all elements of a tree, in the order of the text. */
export const elementsOf = (children: ReadonlyArray<ElementContent | RootContent>): ReadonlyArray<Element> =>
  children.flatMap((it) => (it.type === "element" ? [it, ...elementsOf(it.children)] : []))

/** Returns the text that a reader sees of a node, without the numbers of footnotes. */
export const plainText = (node: ElementContent | RootContent): string => {
  if (node.type === "text") return node.value
  return node.type === "element" && node.tagName !== "sup" ? node.children.map(plainText).join("") : ""
}

/** Maximum number of characters of an id. */
const ID_MAX = 60

/** Returns the words of a heading as a part of an address. */
const slugOf = (text: string) =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, "-")
    .slice(0, ID_MAX)
    // A cut may leave half of a character.
    .replaceAll(/^-+|-+$|\p{Cs}/gu, "")

/** Returns the anchor that GitHub and most Markdown tools give to a heading. */
const anchorOf = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .replaceAll(" ", "-")

/** Makes names, each only once: `name`, then `name-1` or `name-2` and so on. */
const unique = (first: number): ((name: string) => string) => {
  const taken = new Set<string>()
  const last = new Map<string, number>()
  return (name) => {
    let free = name
    for (let count = last.get(name) ?? first; taken.has(free); count++) {
      free = `${name}-${count}`
      last.set(name, count + 1)
    }
    taken.add(free)
    return free
  }
}

const decoded = (fragment: string) => {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

/** The headings of a text as targets of links. */
export interface Headings {
  /** The id of each heading, in their order. They begin with `h-`, as no other id of a page does. */
  readonly ids: ReadonlyArray<string>
  /** Returns the id of the heading that a fragment names: by its id, its anchor as on GitHub, or its words. */
  readonly named: (fragment: string) => string | undefined
}

/** Returns the headings of a text. */
export const headingsOf = (tree: Root): Headings => {
  const texts = elementsOf(tree.children)
    .filter((it) => levelOf(it) > 0)
    .map(plainText)
  const idOf = unique(2)
  const ids = texts.map((text) => idOf(`h-${slugOf(text) || "part"}`))
  const known = new Set(ids)
  const freeAnchor = unique(1)
  const anchors = new Map(texts.map((text, at) => [freeAnchor(anchorOf(text)), ids[at]]))
  return {
    ids,
    named: (fragment) => {
      const name = decoded(fragment)
      if (known.has(name)) return name
      const id = `h-${slugOf(name)}`
      return anchors.get(name.toLowerCase()) ?? (known.has(id) ? id : undefined)
    }
  }
}
