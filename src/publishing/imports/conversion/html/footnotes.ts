import { attribute, hasClass, type HtmlElement, type HtmlNode, htmlText } from "./htmlTree.ts"

/** A footnote with the label of its references. */
interface HtmlFootnote {
  readonly label: string
  readonly children: ReadonlyArray<HtmlNode>
}

/** The footnotes of a tree: links that lead to an element which links back. */
export interface HtmlFootnotes {
  readonly definitions: ReadonlyArray<HtmlFootnote>
  /** Returns the label of a link that is a reference. */
  readonly labelOf: (element: HtmlElement) => string | undefined
  /** Returns true for a link that leads back to its reference. */
  readonly isBackLink: (element: HtmlElement) => boolean
  /** Returns `moved` for an element that holds a footnote or nothing but footnotes. */
  readonly definitionOf: (element: HtmlElement) => "moved" | undefined
}

/** The visible part of a reference: a number or a mark, perhaps in brackets. */
const MARK = /^\s*[[(]?\s*(?:\d{1,4}|[a-z]|[ivxlc]{1,6}|[*†‡§¶]{1,4})\s*[\])]?\s*$/i

/** Returns true for a text that only refers to a footnote. */
export const isFootnoteMark = (text: string): boolean => MARK.test(text.slice(0, 40))

/** Elements around a reference that may have the id to which its footnote links back. */
const ANCESTORS = 3

interface Place {
  readonly element: HtmlElement
  readonly parents: ReadonlyArray<HtmlElement>
}

const placesIn = (nodes: ReadonlyArray<HtmlNode>): ReadonlyArray<Place> => {
  const places: Array<Place> = []
  const walk = (children: ReadonlyArray<HtmlNode>, parents: ReadonlyArray<HtmlElement>) => {
    for (const node of children) {
      if (node.type !== "element") continue
      places.push({ element: node, parents })
      walk(node.children, [node, ...parents.slice(0, ANCESTORS - 1)])
    }
  }
  walk(nodes, [])
  return places
}

const idOf = (element: HtmlElement) =>
  attribute(element, "id") || (element.name === "a" ? attribute(element, "name") : "")

const targetOf = (element: HtmlElement) => {
  const href = element.name === "a" ? attribute(element, "href") : ""
  if (!/^#./.test(href)) return undefined
  try {
    return decodeURIComponent(href.slice(1))
  } catch {
    return href.slice(1)
  }
}

/** Returns the element that holds the whole footnote to which a reference leads. */
const holderOf = ({ element, parents }: Place): HtmlElement | undefined => {
  if (element.name === "li" || element.name === "div" || element.name === "p" || element.name === "aside")
    return element
  return (
    parents.find((it) => it.name === "li" || hasClass(it, "footnote")) ??
    parents.find((it) => it.name === "p" || it.name === "div")
  )
}

const linksIn = (element: HtmlElement): ReadonlyArray<HtmlElement> =>
  placesIn([element])
    .map((place) => place.element)
    .filter((it) => targetOf(it) !== undefined)

const isList = ({ name }: HtmlElement) =>
  name === "ol" || name === "ul" || name === "section" || name === "div"

const isSeparator = (element: HtmlElement) => hasClass(element, "footnotes-sep")

/** Finds the footnotes of a tree. */
export const footnotesIn = (nodes: ReadonlyArray<HtmlNode>): HtmlFootnotes => {
  const places = placesIn(nodes)
  const byId = new Map<string, Place>()
  for (const place of places) {
    const id = idOf(place.element)
    if (id !== "" && !byId.has(id)) byId.set(id, place)
  }
  const labels = new Map<HtmlElement, string>()
  const backLinks = new Set<HtmlElement>()
  const holders = new Map<HtmlElement, string>()
  for (const { element, parents } of places) {
    const target = targetOf(element)
    const place = target === undefined ? undefined : byId.get(target)
    if (place === undefined || backLinks.has(element) || !isFootnoteMark(htmlText(element.children))) continue
    const holder = holderOf(place)
    if (holder === undefined || parents.includes(holder)) continue
    const ids = new Set([element, ...parents].map(idOf).filter((id) => id !== ""))
    const back = linksIn(holder).filter((link) => ids.has(targetOf(link) ?? ""))
    if (back.length === 0) continue
    const label = holders.get(holder) ?? String(holders.size + 1)
    holders.set(holder, label)
    labels.set(element, label)
    for (const link of back) backLinks.add(link)
  }
  const isMoved = (element: HtmlElement): boolean => {
    if (holders.has(element) || isSeparator(element)) return holders.size > 0
    if (holders.size === 0 || !isList(element)) return false
    const children = element.children.filter((it) => it.type === "element")
    return (
      children.some(isMoved) &&
      children.every(
        (it) =>
          isMoved(it) || it.name === "hr" || (/^h[1-6]$/.test(it.name) && hasClass(element, "footnotes"))
      )
    )
  }
  return {
    definitions: [...holders].map(([holder, label]) => ({ label, children: holder.children })),
    labelOf: (element) => labels.get(element),
    isBackLink: (element) => backLinks.has(element),
    definitionOf: (element) => (isMoved(element) ? "moved" : undefined)
  }
}
