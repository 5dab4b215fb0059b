import type { Element, ElementContent, Root as HastRoot } from "hast"
import { sanitize, type Schema } from "hast-util-sanitize"
import { toHtml } from "hast-util-to-html"
import type { Nodes, Root } from "mdast"
import { type Handlers, toHast } from "mdast-util-to-hast"

const FLOW: ReadonlySet<string> = new Set(["root", "blockquote", "listItem", "footnoteDefinition"])

const text = (value: string): ElementContent => ({ type: "text", value })

const element = (tagName: string, children: Array<ElementContent>): Element => ({
  type: "element",
  tagName,
  properties: {},
  children
})

/** Unsupported features show their text. */
const handlers: Handlers = {
  underline: (state, node) => element("u", state.all(node)),
  html: (_state, node: { readonly value: string }, parent: Nodes | undefined) =>
    FLOW.has(parent?.type ?? "root") ? element("p", [text(node.value)]) : text(node.value),
  footnoteReference: (_state, node: { readonly label?: string | null; readonly identifier: string }) =>
    text(`[^${node.label ?? node.identifier}]`),
  footnoteDefinition: (state, node) => state.all(node)
}

/** Returns the elements of a section as CommonMark and GFM render it. HTML in it is text. */
export const hastOf = (root: Root): HastRoot => toHast(root, { handlers }) as HastRoot

const SAFE_LINK = /^(?:https?:\/\/|mailto:)/i
const SAFE_IMAGE = /^https?:\/\//i

/** Links of authors get no endorsement, and the opened page gets no reference back. */
const REL = ["nofollow", "ugc", "noopener"]

/** Returns a URL with its scheme in lower case, the form in {@link ALLOWED}. */
const withScheme = (url: unknown) => String(url).replace(/^[a-z]+/i, (scheme) => scheme.toLowerCase())

const restricted = (node: ElementContent): ReadonlyArray<ElementContent> => {
  if (node.type !== "element") return [node]
  const { properties, tagName } = node
  if (tagName === "img") {
    return SAFE_IMAGE.test(String(properties["src"]))
      ? [{ ...node, properties: { ...properties, src: withScheme(properties["src"]) } }]
      : [text(String(properties["alt"] ?? ""))]
  }
  const children = node.children.flatMap(restricted)
  if (tagName !== "a") return [{ ...node, children }]
  return SAFE_LINK.test(String(properties["href"]))
    ? [{ ...node, properties: { ...properties, href: withScheme(properties["href"]), rel: REL }, children }]
    : children
}

const ALLOWED: Schema = {
  tagNames:
    "p h1 h2 h3 h4 h5 h6 blockquote ul ol li pre code hr br img table thead tbody tr th td a strong em del u".split(
      " "
    ),
  attributes: {
    a: ["href", "title", "rel"],
    img: ["src", "alt", "title"],
    ol: ["start"],
    th: ["align"],
    td: ["align"],
    code: [["className", /^language-/]]
  },
  protocols: { href: ["http", "https", "mailto"], src: ["http", "https"] },
  allowComments: false,
  allowDoctypes: false
}

/** Returns the elements of a tree under the rules of `renderHtml`, and no others. */
export const safeTreeOf = (root: Root): HastRoot => {
  const hast = hastOf(root)
  const children = hast.children.flatMap((it) => (it.type === "doctype" ? [] : restricted(it)))
  return sanitize({ type: "root", children }, ALLOWED) as HastRoot
}

/** Returns the HTML of a tree under the rules of `renderHtml`. */
export const htmlOf = (root: Root): string => toHtml(safeTreeOf(root))
