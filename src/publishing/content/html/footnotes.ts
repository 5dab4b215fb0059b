import type { Element, ElementContent, Root as HastRoot, RootContent as HastContent } from "hast"
import type { FootnoteDefinition, FootnoteReference, List, Nodes, Root, RootContent } from "mdast"
import { isMark } from "./restMark.ts"

/** The class of a list of footnotes. Authors cannot write one. */
const NOTES = "notes"

/** Maximum number of links from a footnote back to its references. */
const BACK_MAX = 50

/** Yields the references or the definitions of some blocks, in the order of the text. */
function* footnotesIn<Type extends "footnoteReference" | "footnoteDefinition">(
  nodes: ReadonlyArray<Nodes>,
  type: Type
): Generator<Extract<Nodes, { type: Type }>> {
  const stack = nodes.toReversed()
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.type === type) yield next as Extract<Nodes, { type: Type }>
    // The references of a footnote count where it is shown.
    const isApart = next.type === "footnoteDefinition" && type === "footnoteReference"
    if ("children" in next && !isApart) for (const child of next.children.toReversed()) stack.push(child)
  }
}

const listOf = (notes: ReadonlyArray<FootnoteDefinition>, start: number): List => ({
  type: "list",
  ordered: true,
  start,
  spread: true,
  data: { hProperties: { className: [NOTES] } },
  children: notes.map(({ children }) => ({ type: "listItem", spread: true, children }))
})

/** A text whose footnotes stand at the end of its sections. */
interface Noted {
  readonly root: Root
  /** The number of each reference that has a footnote. The others are text. */
  readonly numberOf: ReadonlyMap<FootnoteReference, number>
}

/**
 * Moves the footnotes of a text to the end of its section, in the order of their first references, and drops those without
 * one. A section does not know the footnotes of the other one, as readers of the free section do not get the paid one. The
 * numbers go on from one section to the next.
 */
export const noted = (root: Root): Noted => {
  const rest = root.children.findIndex(isMark)
  const sections = rest < 0 ? [root.children] : [root.children.slice(0, rest), root.children.slice(rest)]
  const numberOf = new Map<FootnoteReference, number>()
  let last = 0
  const children = sections.flatMap((section): ReadonlyArray<RootContent> => {
    const definitions = new Map<string, FootnoteDefinition>()
    for (const it of footnotesIn(section, "footnoteDefinition")) {
      if (!definitions.has(it.identifier)) definitions.set(it.identifier, it)
    }
    if (definitions.size === 0) return section
    const first = last + 1
    const numbers = new Map<string, number>()
    const notes: Array<FootnoteDefinition> = []
    const see = (nodes: ReadonlyArray<Nodes>) => {
      for (const reference of footnotesIn(nodes, "footnoteReference")) {
        const { identifier } = reference
        const definition = definitions.get(identifier)
        if (definition === undefined) continue
        if (!numbers.has(identifier)) {
          numbers.set(identifier, ++last)
          notes.push(definition)
        }
        numberOf.set(reference, numbers.get(identifier) ?? last)
      }
    }
    see(section)
    // The list grows by the footnotes of footnotes. Each of them is in it once.
    for (const { children } of notes) see(children)
    return notes.length === 0 ? section : section.concat(listOf(notes, first))
  })
  return { root: { ...root, children }, numberOf }
}

const element = (
  tagName: string,
  properties: Element["properties"],
  children: Array<ElementContent>
): Element => ({ type: "element", tagName, properties, children })

const text = (value: string): ElementContent => ({ type: "text", value })

/** Returns the id of a reference; undefined for one without a link back. */
const idOfReference = (number: number, time: number) =>
  time > BACK_MAX ? undefined : `fnref-${number}${time === 1 ? "" : `-${time}`}`

/** Returns the links from a footnote to its references. */
const linksBack = (number: number, times: number): Array<ElementContent> =>
  Array.from({ length: Math.min(times, BACK_MAX) }, (_, at) => at + 1).flatMap((time) => [
    text(" "),
    element(
      "a",
      {
        role: "doc-backlink",
        href: `#${idOfReference(number, time)}`,
        ariaLabel: `Back to the text from note ${number}${time === 1 ? "" : `, place ${time}`}`
      },
      // The second character keeps the arrow from being an emoji.
      [text("\u21A9\uFE0E"), ...(time === 1 ? [] : [element("sup", {}, [text(String(time))])])]
    )
  ])

const isList = ({ properties, tagName }: Element) =>
  tagName === "ol" && Array.isArray(properties["className"]) && properties["className"].includes(NOTES)

/**
 * Links the references of a text to its footnotes, and back. Ids begin with `fn`, as no other id of a page does. A reference
 * within a link stays plain, as links do not nest.
 */
export const linkFootnotes = (tree: HastRoot): void => {
  const times = new Map<number, number>()
  const lists: Array<Element> = []

  const visit = (nodes: ReadonlyArray<ElementContent | HastContent>, isLinked: boolean): void => {
    for (const node of nodes) {
      if (node.type !== "element") continue
      if (isList(node)) lists.push(node)
      if (node.tagName !== "sup") {
        visit(node.children, isLinked || node.tagName === "a")
        continue
      }
      const number = Number(node.children.map((it) => (it.type === "text" ? it.value : "")).join(""))
      const time = (times.get(number) ?? 0) + 1
      times.set(number, time)
      const id = idOfReference(number, time)
      const named = id === undefined ? {} : { id }
      if (isLinked) node.properties = named
      else {
        const properties = {
          role: "doc-noteref",
          href: `#fn-${number}`,
          ariaLabel: `Note ${number}`,
          ...named
        }
        node.children = [element("a", properties, node.children)]
      }
    }
  }
  visit(tree.children, false)

  for (const list of lists) {
    const first = Number(list.properties["start"] ?? 1)
    let number = first
    for (const item of list.children) {
      if (item.type !== "element") continue
      item.properties = { id: `fn-${number}` }
      const back = linksBack(number, times.get(number++) ?? 0)
      const last = item.children.findLast((it) => it.type === "element")
      if (last?.type === "element" && last.tagName === "p") last.children.push(...back)
      else item.children.push(element("p", {}, back.slice(1)))
    }
    const { start } = list.properties
    const inner = element("ol", start === undefined ? {} : { start }, list.children)
    Object.assign(list, {
      tagName: "section",
      // A page may have two lists, and each has a name of its own.
      properties: { className: [NOTES], role: "doc-endnotes", ariaLabel: `Notes ${first} to ${number - 1}` },
      children: [inner]
    } satisfies Partial<Element>)
  }
}

const NOTE = /<li id="(fn-\d+)">/g
const LINK = /<a role="doc-(noteref|backlink)" href="#(fn[^"]*)"( aria-label="[^"]*")(?: id="([^"]*)")?>/g
const LIST = /<section class="notes"[^>]*>/g
const LINKED = /<sup id="([^"]*)">/g

/**
 * Returns HTML whose footnotes have names of their own, `tag`, for a place that shows many texts at once, and a line above
 * them. Only tags have a `<`, in attributes too, so that no words of an author match.
 */
export const footnotesApart = (html: string, tag: string): string =>
  html
    .replaceAll(NOTE, (_, id: string) => `<li id="${id}${tag}">`)
    .replaceAll(LINKED, (_, id: string) => `<sup id="${id}${tag}">`)
    .replaceAll(LINK, (_, role: string, to: string, label: string, id: string | undefined) => {
      const named = id === undefined ? "" : ` id="${id}${tag}"`
      return `<a role="doc-${role}" href="#${to}${tag}"${label}${named}>`
    })
    .replaceAll(LIST, "<hr>")

/** Returns the words of a reference without a footnote. */
export const textOfReference = ({ identifier, label }: FootnoteReference): string =>
  `[^${label ?? identifier}]`
