import type { Element, ElementContent, Properties, Root as HastRoot } from "hast"
import { sanitize, type Schema } from "hast-util-sanitize"
import { toHtml } from "hast-util-to-html"
import type { FootnoteReference, Nodes, Root } from "mdast"
import { type Handlers, toHast } from "mdast-util-to-hast"
import { mediaPathOf } from "../../../../schemas/platform/mediaPath.ts"
import { withFigures } from "./figures.ts"
import { noted, textOfReference } from "./footnotes.ts"
import { type Headings, headingsOf } from "./headings.ts"
import { absoluteLink, hasScheme, isWeb, relativeLink } from "./targets.ts"

const FLOW: ReadonlySet<string> = new Set(["root", "blockquote", "listItem"])

const text = (value: string): ElementContent => ({ type: "text", value })

const element = (tagName: string, children: Array<ElementContent>): Element => ({
  type: "element",
  tagName,
  properties: {},
  children
})

/** Unsupported features show their text. */
const handlersOf = (numberOf: ReadonlyMap<FootnoteReference, number>): Handlers => ({
  underline: (state, node) => element("u", state.all(node)),
  html: (_state, node: { readonly value: string }, parent: Nodes | undefined) =>
    FLOW.has(parent?.type ?? "root") ? element("p", [text(node.value)]) : text(node.value),
  footnoteReference: (_state, node: FootnoteReference) => {
    const number = numberOf.get(node)
    return number === undefined ? text(textOfReference(node)) : element("sup", [text(String(number))])
  },
  footnoteDefinition: () => undefined
})

/**
 * Returns the elements of a section as CommonMark and GFM render it, with its footnotes as a list at its end. HTML in it is
 * text.
 */
export const hastOf = (root: Root): HastRoot => {
  const { numberOf, root: shown } = noted(root)
  return toHast(shown, { handlers: handlersOf(numberOf) }) as HastRoot
}

/** Links of authors get no endorsement, and the opened page gets no reference back. */
export const REL = ["nofollow", "ugc", "noopener"]

/** A character that browsers leave out at the ends of an address, as the tree has it. */
const ENCODED_SPACE = /^%(?:[01][\dA-F]|20)$/

const addressOf = (value: unknown) => {
  const text = String(value)
  let start = 0
  let end = text.length
  while (ENCODED_SPACE.test(text.slice(start, start + 3))) start += 3
  while (end - 3 >= start && ENCODED_SPACE.test(text.slice(end - 3, end))) end -= 3
  return text.slice(start, end)
}

/** Returns the properties of a link that leads somewhere. */
type LinkTo = (target: string) => Properties | undefined

/** Returns the address of a link in its place; undefined for one that leads nowhere there. */
const addressIn = ({ hosts = [], isPage = false, url }: TextPlace, written: string) => {
  const target = mediaPathOf(written, hosts) ?? written
  return (isPage && url === undefined ? relativeLink(target) : undefined) ?? absoluteLink(target, url)
}

/** Makes links absolute, except those to a heading of the page that has them, and on a page without an address. */
const linkingFrom = (place: TextPlace, headings: Headings): LinkTo => {
  const { isPage = false, url } = place
  return (target) => {
    const id = target.startsWith("#") ? headings.named(target.slice(1)) : undefined
    if (id !== undefined && isPage) return { href: `#${id}` }
    if (id !== undefined && url !== undefined) return { href: `${url}#${encodeURIComponent(id)}`, rel: REL }
    const href = addressIn(place, target)
    return href === undefined ? undefined : { href, rel: REL }
  }
}

/** Returns an image from the web, a link in its place where its address opens something else, or its description. */
const restrictedImage = (node: Element, place: TextPlace, isLinked: boolean): ElementContent => {
  const alt = String(node.properties["alt"] ?? "")
  const src = addressIn(place, addressOf(node.properties["src"]))
  if (src === undefined) return text(alt)
  if (isWeb(src) || !hasScheme(src)) return { ...node, properties: { ...node.properties, src } }
  const description = text(alt === "" ? src : alt)
  return isLinked ? description : { ...element("a", [description]), properties: { href: src, rel: REL } }
}

const restricted = (
  node: ElementContent,
  place: TextPlace,
  linkTo: LinkTo,
  isLinked = false
): ReadonlyArray<ElementContent> => {
  if (node.type !== "element") return [node]
  const { properties, tagName } = node
  if (tagName === "img") return [restrictedImage(node, place, isLinked)]
  const children = node.children.flatMap((it) => restricted(it, place, linkTo, isLinked || tagName === "a"))
  if (tagName !== "a") return [{ ...node, children }]
  const link = linkTo(addressOf(properties["href"]))
  return link === undefined ? children : [{ ...node, properties: { ...properties, ...link }, children }]
}

const ALLOWED: Schema = {
  tagNames:
    "p h1 h2 h3 h4 h5 h6 blockquote ul ol li pre code hr br img table thead tbody tr th td a strong em del u sup".split(
      " "
    ),
  attributes: {
    a: ["href", "title", "rel"],
    img: ["src", "alt", "title"],
    ol: ["start", ["className", "notes"]],
    th: ["align"],
    td: ["align"],
    code: [["className", /^language-/]]
  },
  protocols: { href: ["http", "https", "mailto", "tel", "nano"], src: ["http", "https"] },
  allowComments: false,
  allowDoctypes: false
}

/** The place where a text is shown. */
export interface TextPlace {
  /**
   * The address of its Post. Without it, relative links become their text and relative images their description. On a page
   * they stay relative.
   */
  readonly url?: string | undefined
  /** True on the page of the Post, whose headings have ids. */
  readonly isPage?: boolean
  /** The hosts of the service, by which images of its own have their paths as addresses. */
  readonly hosts?: ReadonlyArray<string>
}

/** Returns the elements of a tree under the rules of `renderHtml`, and no others, with the headings among them. */
export const safeTreeOf = (
  root: Root,
  place: TextPlace
): { readonly tree: HastRoot; readonly headings: Headings } => {
  const hast = hastOf(root)
  const headings = headingsOf(hast)
  const linkTo = linkingFrom(place, headings)
  const children = hast.children.flatMap((it) => (it.type === "doctype" ? [] : restricted(it, place, linkTo)))
  return { tree: withFigures(sanitize({ type: "root", children }, ALLOWED) as HastRoot), headings }
}

/** A tag with attributes, as `toHtml` writes it: their values stand in double quotes, and texts have no `<`. */
const TAG = /<[a-z][a-z\d]*(?: [a-z-]+(?:="[^"]*")?)+>/g

/**
 * Returns the HTML of a tree. Every `<` in it begins a tag, in attributes too, so that no words of an author look like one to
 * the code that completes saved HTML.
 */
export const writtenHtml = (tree: HastRoot): string =>
  toHtml(tree).replaceAll(TAG, (tag) => `<${tag.slice(1).replaceAll("<", "&#x3C;")}`)

/** Returns the HTML of a tree under the rules of `renderHtml`. */
export const htmlOf = (root: Root, url?: string): string => writtenHtml(safeTreeOf(root, { url }).tree)
