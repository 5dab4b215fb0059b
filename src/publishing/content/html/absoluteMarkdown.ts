import type { Nodes } from "mdast"
import type { Extension, Handle } from "mdast-util-from-markdown"
import { LINE_ENDING } from "../parser/lineEndings.ts"
import { parse } from "../parser/parse.ts"
import { TooComplex } from "../parser/parserLimits.ts"
import { joinedRoot } from "../parser/rootOf.ts"
import { headingsOf } from "./headings.ts"
import { hastOf } from "./safeHtml.ts"
import { absoluteLink, hasScheme } from "./targets.ts"

/** The place of an address within its part of a text, in UTF-16 code units. */
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

const written = (address: string) =>
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

const absolute = (source: string, url: string): string => {
  const places = new Map<unknown, Place>()
  const parts = parse(source, undefined, [placing(places)])
  const headings = headingsOf(hastOf(joinedRoot(parts)))
  const starts = [
    0,
    ...[...source.matchAll(LINE_ENDING)].map(({ 0: ending, index }) => index + ending.length)
  ]
  const mark = source.startsWith("\uFEFF") ? 1 : 0
  let result = ""
  let at = 0
  for (const { linesBefore, root } of parts) {
    const base = linesBefore === 0 ? mark : (starts[linesBefore] ?? 0)
    const found = [...nodesOf([root])]
      .flatMap((node) => {
        const place = places.get(node)
        return place === undefined || !("url" in node) || hasScheme(node.url)
          ? []
          : [{ ...place, target: node.url }]
      })
      .toSorted((a, b) => a.start - b.start)
    for (const { end, start, target } of found) {
      const id = target.startsWith("#") ? headings.named(target.slice(1)) : undefined
      const address = id === undefined ? absoluteLink(target, url) : `${url}#${encodeURIComponent(id)}`
      if (address === undefined) continue
      result += source.slice(at, base + start) + written(address)
      at = base + end
    }
  }
  return result + source.slice(at)
}

/**
 * Returns a section of Markdown whose links and images lead to the same places from anywhere: relative addresses become
 * absolute, and headings are those of its page at `url`. Everything else stays as it is.
 */
export const absoluteMarkdown = (source: string, url: string): string => {
  try {
    return absolute(source, url)
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error
    return source
  }
}
