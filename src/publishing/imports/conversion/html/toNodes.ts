import type { NativeMark, NativeNode } from "../../../../../schemas/publishing/posts/NativeDocument.ts"
import { isShownTarget } from "../../../content/html/targets.ts"
import { isInline } from "../../../content/native/nativeNodes.ts"
import { embedParagraph } from "../embeds.ts"
import {
  blockquote,
  blocksFrom,
  boldParagraph,
  codeBlock,
  hardBreak,
  type Marks,
  type Nodes,
  onlyPicture,
  paragraph,
  textNode,
  tidyLine,
  withMark,
  wordsOf
} from "../nodes.ts"
import { pushAll } from "../stack.ts"
import { captioned, fileNameOf, inlinesOf } from "./captions.ts"
import { cardOf } from "./cards.ts"
import { footnotesIn, isFootnoteMark } from "./footnotes.ts"
import {
  attribute,
  findElement,
  findElements,
  hasClass,
  type HtmlElement,
  type HtmlNode,
  htmlText
} from "./htmlTree.ts"
import { isPictureUrl, isTracker, originalPicture, pictureUrlOf } from "./pictures.ts"
import { tableNodes } from "./tables.ts"
import type { Conversion, Walk } from "./walk.ts"

/** Lists and quotations within each other, at most. Deeper ones stand at this depth. */
const CONTAINERS_MAX = 50

const MARKS: Readonly<Record<string, string>> = {
  b: "bold",
  strong: "bold",
  i: "italic",
  em: "italic",
  cite: "italic",
  dfn: "italic",
  var: "italic",
  s: "strike",
  del: "strike",
  strike: "strike",
  u: "underline",
  ins: "underline",
  code: "code",
  kbd: "code",
  samp: "code",
  tt: "code"
}

const BLOCKS: ReadonlySet<string> = new Set(
  (
    "address article aside body center div dir fieldset figcaption footer header hgroup legend li main nav p " +
    "section search summary td th tr tbody thead tfoot caption dd dt"
  ).split(" ")
)

/** Elements that a text cannot have. Those that a reader would see are reported. */
const DROPPED: ReadonlySet<string> = new Set(
  "script style title textarea select option object applet canvas svg meta link noembed noframes xmp map area param track source menuitem dialog".split(
    " "
  )
)
const SEEN: ReadonlySet<string> = new Set("form object applet canvas svg select textarea dialog".split(" "))

const STYLED: ReadonlySet<string> = new Set("sup sub small mark font big center".split(" "))

const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹"
const SUBSCRIPT = "₀₁₂₃₄₅₆₇₈₉"

const isNormalWeight = (element: HtmlElement) =>
  /font-weight\s*:\s*(?:normal|[1-4]00)/i.test(attribute(element, "style"))

const isHidden = (element: HtmlElement) =>
  element.attributes.has("hidden") ||
  /(?:^|;)\s*display\s*:\s*none/i.test(attribute(element, "style").slice(0, 2000)) ||
  hasClass(element, "screen-reader-text")

const isWhite = (text: string) => /^[ \t\r\n\f]*$/.test(text)

const languageOf = (pre: HtmlElement): string => {
  const code = findElement(pre.children, ({ name }) => name === "code")
  for (const element of code === undefined ? [pre] : [code, pre]) {
    const direct =
      attribute(element, "data-language") || attribute(element, "data-lang") || attribute(element, "lang")
    if (direct !== "") return direct
    const named = /(?:^|\s)(?:lang(?:uage)?|brush)[-:]\s*([\w+#.-]{1,40})/i.exec(
      attribute(element, "class").slice(0, 500)
    )
    if (named?.[1] !== undefined) return named[1]
  }
  return ""
}

/** Returns the picture of an element, or none. */
const imageNodes = (walk: Walk, element: HtmlElement, marks: Marks): Nodes => {
  const alt = attribute(element, "alt").replaceAll(/\s+/g, " ")
  const title = attribute(element, "data-caption") || null
  if (isTracker(element)) {
    walk.note("tracker_dropped", attribute(element, "src"))
    return []
  }
  const url = pictureUrlOf(element)
  if (url === "") return []
  if (/^data:/i.test(url)) {
    const src = walk.pictures.add(url)
    if (src !== undefined) return [{ type: "image", attrs: { src, alt, title }, marks }]
    if (!/^data:image\/(?:svg|gif)/i.test(url)) walk.note("image_dropped", alt)
    return alt === "" ? [] : [textNode(alt, marks)]
  }
  if (isShownTarget(url)) return [{ type: "image", attrs: { src: url, alt, title }, marks }]
  walk.note("image_dropped", url)
  return alt === "" ? [] : [textNode(alt, marks)]
}

/** A link with an address that is kept, or only its text. */
const linkNodes = (walk: Walk, element: HtmlElement, marks: Marks, depth: number): Nodes => {
  const { footnotes } = walk
  const label = footnotes.labelOf(element)
  if (label !== undefined) return [{ type: "footnoteReference", attrs: { label } }]
  if (footnotes.isBackLink(element)) return []
  const href = attribute(element, "href").replaceAll(/[\t\n\r]/g, "")
  if (
    href.startsWith("#") &&
    (hasClass(element, "header-anchor") ||
      hasClass(element, "anchor") ||
      /^[#¶§]?$/.test(htmlText(element.children).trim()))
  )
    return findElement(element.children, ({ name }) => name === "img") === undefined
      ? []
      : walk.flow(element.children, marks, depth)
  // The footnote is not in this section.
  if (href === "" || href === "#" || (href.startsWith("#") && isFootnoteMark(htmlText(element.children))))
    return walk.flow(element.children, marks, depth)
  if (!isShownTarget(href)) {
    const nodes = walk.flow(element.children, marks, depth)
    if (nodes.length > 0) walk.note("link_dropped", href)
    return nodes
  }
  const link: NativeMark = { type: "link", attrs: { href } }
  const nodes = walk.flow(element.children, withMark(marks, link), depth)
  const only = nodes.find(({ text }) => text === undefined || !isWhite(text))
  const picture = only?.type === "image" ? only : onlyPicture(only)
  if (!isPictureUrl(href) || picture === undefined || wordsOf(nodes) !== "") return nodes
  const full = { ...picture, attrs: { ...picture.attrs, src: originalPicture(href) }, marks }
  return [only === picture ? full : paragraph([full])]
}

const codeText = (element: HtmlElement) =>
  htmlText(element.children)
    .replace(/^\n/, "")
    .replace(/\n[ \t]*$/, "")

/** Returns the inline content of a verse with its line ends, which other text has as spaces. */
const verseText = (walk: Walk, element: HtmlElement): Nodes => {
  const lines = element.children.flatMap((child): ReadonlyArray<HtmlNode> =>
    child.type !== "text"
      ? [child]
      : child.value.split("\n").flatMap((value, at): ReadonlyArray<HtmlNode> => {
          const text: HtmlNode = { type: "text", value }
          return at === 0 ? [text] : [LINE_BREAK, text]
        })
  )
  return walk.flow(lines)
}
const LINE_BREAK: HtmlElement = { type: "element", name: "br", attributes: new Map(), children: [] }

const preNodes = (walk: Walk, element: HtmlElement): Nodes => {
  if (hasClass(element, "wp-block-verse")) return blocksFrom(verseText(walk, element))
  return [codeBlock(codeText(element), languageOf(element))]
}

const headingNodes = (walk: Walk, element: HtmlElement, depth: number): Nodes => {
  const nodes = walk.flow(element.children, [], depth)
  const isAllBold = nodes.every(
    (node) =>
      node.text === undefined ||
      isWhite(node.text) ||
      node.marks?.some(({ type }) => type === "bold") === true
  )
  const plain = isAllBold
    ? nodes.map((node) =>
        node.marks === undefined ? node : { ...node, marks: node.marks.filter(({ type }) => type !== "bold") }
      )
    : nodes
  const line = tidyLine(
    plain
      .filter((node) => isInline(node) && node.type !== "image")
      .map((node) => (node.type === "hardBreak" ? textNode(" ") : node))
  )
  const others = blocksFrom(plain.filter((node) => !isInline(node) || node.type === "image"))
  const level = Number(element.name.slice(1))
  return [...(line.length === 0 ? [] : [{ type: "heading", attrs: { level }, content: line }]), ...others]
}

const listNodes = (walk: Walk, element: HtmlElement, depth: number): Nodes => {
  if (depth >= CONTAINERS_MAX) return walk.blocks(element.children, depth)
  const items: Array<Array<NativeNode>> = []
  let loose: Array<HtmlNode> = []
  const flush = () => {
    const nodes = walk.blocks(loose, depth + 1)
    loose = []
    if (nodes.length === 0) return
    // A list within a list belongs to the item before it.
    const isList = nodes.every(({ type }) => type === "bulletList" || type === "orderedList")
    const last = items.at(-1)
    if (isList && last !== undefined) pushAll(last, nodes)
    else items.push([...nodes])
  }
  for (const child of element.children) {
    if (child.type === "element" && (child.name === "li" || child.name === "dd" || child.name === "dt")) {
      flush()
      items.push([...walk.blocks(child.children, depth + 1)])
    } else if (child.type === "element" || (child.type === "text" && !isWhite(child.value))) loose.push(child)
  }
  flush()
  const content = items.filter((item) => item.length > 0).map((item) => ({ type: "listItem", content: item }))
  if (content.length === 0) return []
  if (element.name !== "ol") return [{ type: "bulletList", content }]
  const start = Number.parseInt(attribute(element, "start"), 10)
  return [{ type: "orderedList", attrs: { start: start >= 0 && start < 1e9 ? start : 1 }, content }]
}

const quoteNodes = (walk: Walk, element: HtmlElement, depth: number): Nodes => {
  const content = walk.blocks(element.children, depth + 1)
  if (content.length === 0) return []
  return depth >= CONTAINERS_MAX ? content : [blockquote(content)]
}

const figureNodes = (walk: Walk, element: HtmlElement, depth: number): Nodes => {
  const isCaption = (node: HtmlNode) => node.type === "element" && node.name === "figcaption"
  const [caption] = findElements(element.children, isCaption)
  const within = element.children.filter((node) => !isCaption(node))
  const blocks =
    caption === undefined ? walk.blocks(within, depth) : walk.blocks(withoutElement(within, caption), depth)
  const line = caption === undefined ? [] : walk.blocks(caption.children, depth)
  return captioned(walk, blocks, inlinesOf(line))
}

const withoutElement = (nodes: ReadonlyArray<HtmlNode>, element: HtmlElement): ReadonlyArray<HtmlNode> =>
  nodes.flatMap((node) => {
    if (node === element) return []
    return node.type === "element" && findElement(node.children, (it) => it === element) !== undefined
      ? [{ ...node, children: withoutElement(node.children, element) }]
      : [node]
  })

const definitionNodes = (walk: Walk, element: HtmlElement, depth: number): Nodes => {
  walk.note("definition_list")
  return element.children.flatMap((child) => definitionPart(walk, child, depth))
}

const definitionPart = (walk: Walk, node: HtmlNode, depth: number): Nodes => {
  if (node.type !== "element" || (node.name !== "dt" && node.name !== "dd" && node.name !== "div"))
    return walk.blocks([node], depth)
  if (node.name === "dd") return walk.blocks(node.children, depth)
  if (node.name === "div") return node.children.flatMap((child) => definitionPart(walk, child, depth))
  const line = tidyLine(inlinesOf(walk.blocks(node.children, depth)))
  return line.length === 0 ? [] : [boldParagraph(line)]
}

const detailsNodes = (walk: Walk, element: HtmlElement, depth: number): Nodes => {
  walk.note("details_unfolded")
  const isSummary = (node: HtmlNode): node is HtmlElement =>
    node.type === "element" && node.name === "summary"
  const summary = element.children.find(isSummary)
  const line = summary === undefined ? [] : tidyLine(inlinesOf(walk.blocks(summary.children, depth)))
  return [
    ...(line.length === 0 ? [] : [boldParagraph(line)]),
    ...walk.blocks(
      element.children.filter((node) => node !== summary),
      depth
    )
  ]
}

const mediaNodes = (walk: Walk, element: HtmlElement): Nodes => {
  const source = findElement(element.children, ({ name }) => name === "source")
  const src = attribute(element, "src") || (source === undefined ? "" : attribute(source, "src"))
  if (src === "" || !isShownTarget(src)) {
    walk.note("html_dropped", `<${element.name}>`)
    return []
  }
  walk.note("media_link", src)
  const name = attribute(element, "title") || attribute(element, "aria-label") || fileNameOf(src)
  return [paragraph([textNode(name, [{ type: "link", attrs: { href: src } }])])]
}

const mathNodes = (walk: Walk, element: HtmlElement, marks: Marks): Nodes => {
  walk.note("math_code")
  const source = findElement(
    element.children,
    (it) => it.name === "annotation" && /tex/i.test(attribute(it, "encoding"))
  )
  const tex = (
    source === undefined
      ? attribute(element, "alttext") || htmlText(element.children)
      : htmlText(source.children)
  ).trim()
  if (tex === "") return []
  return attribute(element, "display") === "block" ? [codeBlock(tex, "tex")] : [textNode(`$${tex}$`, marks)]
}

const rubyNodes = (walk: Walk, element: HtmlElement, marks: Marks, depth: number): Nodes =>
  element.children.flatMap((child): Nodes => {
    if (child.type !== "element" || child.name === "rp")
      return child.type === "text" ? walk.flow([child], marks, depth) : []
    if (child.name !== "rt") return walk.flow([child], marks, depth)
    return [textNode(`(${htmlText(child.children).trim()})`, marks)]
  })

const inputNodes = (walk: Walk, element: HtmlElement, marks: Marks): Nodes => {
  const type = attribute(element, "type").toLowerCase()
  if (type !== "checkbox" && type !== "radio") return []
  walk.note("task_list_plain")
  return [textNode(element.attributes.has("checked") ? "☑ " : "☐ ", marks)]
}

const styledNodes = (walk: Walk, element: HtmlElement, marks: Marks, depth: number): Nodes => {
  const words = htmlText(element.children).trim()
  const digits = element.name === "sup" ? SUPERSCRIPT : element.name === "sub" ? SUBSCRIPT : undefined
  const isReference =
    findElement(element.children, (it) => walk.footnotes.labelOf(it) !== undefined) !== undefined
  if (digits !== undefined && !isReference && /^\d{1,20}$/.test(words))
    return [
      textNode(
        words.replaceAll(/\d/g, (digit) => digits[Number(digit)] as string),
        marks
      )
    ]
  if (!isReference && words !== "") walk.note("style_dropped", element.name)
  return walk.flow(element.children, marks, depth)
}

const elementNodes = (walk: Walk, element: HtmlElement, marks: Marks, depth: number): Nodes => {
  const { children, name } = element
  if (isHidden(element)) return []
  const footnote = walk.footnotes.definitionOf(element)
  if (footnote === "moved") return []
  const card = cardOf(walk, element, marks, depth)
  if (card !== undefined) return card
  const mark = Object.hasOwn(MARKS, name) ? MARKS[name] : undefined
  if (mark !== undefined) {
    if (mark === "bold" && isNormalWeight(element)) return walk.flow(children, marks, depth)
    return walk.flow(children, withMark(marks, { type: mark }), depth)
  }
  switch (name) {
    case "a":
      return linkNodes(walk, element, marks, depth)
    case "img":
    case "image":
    case "amp-img":
      return imageNodes(walk, element, marks)
    case "post-footnote":
      return [{ type: "footnoteReference", attrs: { label: attribute(element, "label") } }]
    case "post-footnotes":
      return [
        {
          type: "footnoteDefinition",
          attrs: { label: attribute(element, "label") },
          content: walk.blocks(children, depth)
        }
      ]
    case "br":
      return [hardBreak]
    case "hr":
      return [{ type: "horizontalRule" }]
    case "h1":
    case "h2":
    case "h3":
    case "h4":
    case "h5":
    case "h6":
      return headingNodes(walk, element, depth)
    case "ul":
    case "ol":
    case "menu":
    case "dir":
      return listNodes(walk, element, depth)
    case "blockquote":
      return quoteNodes(walk, element, depth)
    case "pre":
    case "listing":
      return preNodes(walk, element)
    case "table":
      return tableNodes(walk, element, depth)
    case "figure":
      return figureNodes(walk, element, depth)
    case "dl":
      return definitionNodes(walk, element, depth)
    case "details":
      return detailsNodes(walk, element, depth)
    case "iframe":
    case "embed": {
      const src = attribute(element, "src") || attribute(element, "data-src")
      if (src === "" || !isShownTarget(src) || src === "about:blank") return []
      walk.note("embed_link", src)
      return embedParagraph(src, attribute(element, "title"))
    }
    case "video":
    case "audio":
      return mediaNodes(walk, element)
    case "math":
      return mathNodes(walk, element, marks)
    case "ruby":
      return rubyNodes(walk, element, marks, depth)
    case "q":
      return [textNode("“", marks), ...walk.flow(children, marks, depth), textNode("”", marks)]
    case "input":
      return inputNodes(walk, element, marks)
    case "form":
      if (htmlText(children).trim() !== "") walk.note("html_dropped", "<form>")
      return []
    default:
      break
  }
  if (STYLED.has(name)) {
    const nodes = styledNodes(walk, element, marks, depth)
    return name === "center" ? blocksFrom(nodes) : nodes
  }
  if (DROPPED.has(name)) {
    // Pictures without words are mostly signs of buttons.
    if (SEEN.has(name) && (name !== "svg" || htmlText(children).trim() !== ""))
      walk.note("html_dropped", `<${name}>`)
    return []
  }
  return BLOCKS.has(name) ? blocksFrom(walk.flow(children, marks, depth)) : walk.flow(children, marks, depth)
}

/** Returns true for what a page shows only without scripts, next to the picture that it repeats. */
const repeatsPicture = (nodes: ReadonlyArray<HtmlNode>, at: number) => {
  const node = nodes[at]
  if (node?.type !== "element" || node.name !== "noscript") return false
  const isPicture = (it: HtmlNode | undefined) =>
    it?.type === "element" && findElement([it], ({ name }) => name === "img") !== undefined
  if (!isPicture(node)) return false
  return [nodes[at - 1], nodes[at - 2], nodes[at + 1]].some(isPicture)
}

const walkOf = (conversion: Conversion, nodes: ReadonlyArray<HtmlNode>): Walk => {
  const walk: Walk = {
    ...conversion,
    footnotes: footnotesIn(nodes),
    note: (code, excerpt) => conversion.report.add(code, conversion.section, excerpt),
    flow: (children, marks = [], depth = 0) =>
      children.flatMap((node, at): Nodes => {
        if (node.type === "text") return [textNode(node.value.replaceAll(/[ \t\r\n\f]+/g, " "), marks)]
        if (node.type === "comment" || repeatsPicture(children, at)) return []
        return elementNodes(walk, node, marks, depth)
      }),
    blocks: (children, depth = 0) => blocksFrom(walk.flow(children, [], depth))
  }
  return walk
}

/** Converts HTML into blocks of a document that Markdown can express, and reports what it cannot. */
export const htmlBlocks = (nodes: ReadonlyArray<HtmlNode>, conversion: Conversion): Nodes => {
  const walk = walkOf(conversion, nodes)
  const blocks = walk.blocks(nodes)
  return [
    ...blocks,
    ...walk.footnotes.definitions.map(({ children, label }) => ({
      type: "footnoteDefinition",
      attrs: { label },
      content: walk.blocks(children)
    }))
  ]
}
