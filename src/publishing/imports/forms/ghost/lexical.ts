import { cardHtml, type CardValues, escaped, isRecord, text, unknownCardHtml } from "./cards.ts"

/** Tells of a card whose kind is unknown. */
export type Unknown = (name: string) => void

/** Marks of a text by their bits. */
const FORMATS: ReadonlyArray<readonly [bit: number, name: string]> = [
  [1, "b"],
  [2, "i"],
  [4, "s"],
  [8, "u"],
  [16, "code"],
  [32, "sub"],
  [64, "sup"],
  [128, "mark"]
]

const marked = (values: CardValues) => {
  const format = typeof values["format"] === "number" ? values["format"] : 0
  return FORMATS.reduce(
    (html, [bit, name]) => ((format & bit) === 0 ? html : `<${name}>${html}</${name}>`),
    escaped(text(values, "text"))
  )
}

const nodeHtml = (node: unknown, unknown: Unknown): string => {
  if (!isRecord(node)) return ""
  const children = Array.isArray(node["children"]) ? node["children"] : []
  const all = () => children.map((it: unknown) => nodeHtml(it, unknown)).join("")
  const element = (name: string, attributes = "") => `<${name}${attributes}>${all()}</${name}>`
  const type = text(node, "type")
  switch (type) {
    case "root":
      return all()
    case "paragraph":
      return element("p")
    case "heading":
    case "extended-heading":
      return element(/^h[1-6]$/.test(text(node, "tag")) ? text(node, "tag") : "h2")
    case "quote":
    case "extended-quote":
    case "aside":
      return element("blockquote")
    case "list":
      return text(node, "listType") === "number"
        ? element("ol", ` start="${escaped(text(node, "start"))}"`)
        : element("ul")
    case "listitem": {
      const box =
        typeof node["checked"] === "boolean"
          ? `<input type="checkbox"${node["checked"] ? " checked" : ""}>`
          : ""
      return `<li>${box}${all()}</li>`
    }
    case "link":
    case "autolink":
      return element("a", ` href="${escaped(text(node, "url"))}"`)
    case "text":
    case "extended-text":
    case "tk":
      return marked(node)
    case "linebreak":
      return "<br>"
    case "tab":
      return " "
    case "zwnj":
      return ""
    default: {
      const card = cardHtml(type, node)
      if (card !== undefined) return card
      unknown(type)
      return children.length > 0 ? `<div>${all()}</div>` : unknownCardHtml(node)
    }
  }
}

/** Writes a document of Lexical as HTML. Unknown nodes keep their text. */
export const lexicalHtml = (document: unknown, unknown: Unknown): string =>
  isRecord(document) ? nodeHtml(document["root"] ?? document, unknown) : ""
