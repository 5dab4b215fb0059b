import type { Nodes } from "mdast"
import type { Extension, Handle } from "mdast-util-from-markdown"
import { LINE_ENDING } from "./lineEndings.ts"
import { parse, type Part } from "./parse.ts"

/** The address of a link, an image or a definition, with its place in the source in UTF-16 code units. */
interface AddressPlace {
  readonly node: Nodes
  readonly url: string
  readonly start: number
  readonly end: number
}

interface Place {
  readonly start: number
  readonly end: number
}

/** Notes the place of the address of each link, image and definition. */
const placing = (places: Map<unknown, Place>): Extension => {
  const destination: Handle = function ({ end, start }) {
    const url = this.resume()
    const node = this.stack.at(-1)
    places.set(node, { start: start.offset, end: end.offset })
    Object.assign(node ?? {}, { url })
  }
  return { exit: { definitionDestinationString: destination, resourceDestinationString: destination } }
}

/** Characters that end an address in Markdown, or that a parser reads in another way. */
const UNSAFE = /[\\()|]|&(?=[#\w]+;)/g

/** Returns an address as it can stand in any place of Markdown that has one. */
export const writtenAddress = (address: string): string =>
  address.replaceAll(UNSAFE, (it) =>
    it === "&" ? "&amp;" : `%${it.charCodeAt(0).toString(16).toUpperCase()}`
  )

function* nodesOf(roots: ReadonlyArray<Nodes>): Generator<Nodes> {
  const stack = roots.toReversed()
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    yield next
    if ("children" in next) stack.push(...next.children.toReversed())
  }
}

/** A parsed text with its written addresses, in the order of the source. Bare addresses are not among them. */
export interface PlacedText {
  readonly parts: ReadonlyArray<Part>
  readonly addresses: ReadonlyArray<AddressPlace>
}

/** Parses a text and finds its addresses. Throws `TooComplex`. */
export const addressesIn = (source: string): PlacedText => {
  const places = new Map<unknown, Place>()
  const parts = parse(source, undefined, [placing(places)])
  const starts = [
    0,
    ...[...source.matchAll(LINE_ENDING)].map(({ 0: ending, index }) => index + ending.length)
  ]
  const mark = source.startsWith("\uFEFF") ? 1 : 0
  const addresses = parts.flatMap(({ linesBefore, root }) => {
    const base = linesBefore === 0 ? mark : (starts[linesBefore] ?? 0)
    return [...nodesOf([root])]
      .flatMap((node) => {
        const place = places.get(node)
        return place === undefined || !("url" in node)
          ? []
          : [{ node, url: node.url, start: base + place.start, end: base + place.end }]
      })
      .toSorted((a, b) => a.start - b.start)
  })
  return { parts, addresses }
}
