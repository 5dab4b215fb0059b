import type { Definition, ImageReference, LinkReference, Nodes } from "mdast"

type DefinitionOf = (reference: LinkReference | ImageReference) => Definition | undefined

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }
const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (it) => ESCAPES[it] as string)

const attributes = (values: Readonly<Record<string, string | null | undefined>>) =>
  Object.entries(values)
    .map(([name, value]) =>
      value === null || value === undefined || value === "" ? "" : ` ${name}="${escaped(value)}"`
    )
    .join("")

/**
 * Writes parsed Markdown as HTML with the HTML in it as it is, so that elements around several blocks are one again.
 * Footnotes keep their labels in elements of our own.
 */
export const markdownHtml = (nodes: ReadonlyArray<Nodes>, definitionOf: DefinitionOf): string => {
  const all = (children: ReadonlyArray<Nodes>, isTight = false): string =>
    children.map((it) => one(it, isTight)).join("")
  const element = (name: string, node: { readonly children: ReadonlyArray<Nodes> }, given = "") =>
    `<${name}${given}>${all(node.children)}</${name}>`
  const one = (node: Nodes, isTight: boolean): string => {
    switch (node.type) {
      case "html":
        return node.value
      case "text":
        return escaped(node.value)
      case "break":
        return "<br>"
      case "paragraph":
        return isTight ? `${all(node.children)}\n` : `${element("p", node)}\n\n`
      case "heading":
        return `${element(`h${node.depth}`, node)}\n`
      case "thematicBreak":
        return "<hr>\n"
      case "blockquote":
        return `${element("blockquote", node)}\n`
      case "strong":
        return element("strong", node)
      case "emphasis":
        return element("em", node)
      case "delete":
        return element("del", node)
      case "inlineCode":
        return `<code>${escaped(node.value)}</code>`
      case "code":
        return `<pre${attributes({ "data-language": node.lang })}>\n${escaped(node.value)}\n</pre>\n`
      case "link":
        return element("a", node, attributes({ href: node.url, title: node.title }))
      case "linkReference":
        return element("a", node, attributes({ href: definitionOf(node)?.url }))
      case "image":
        return `<img${attributes({ src: node.url, alt: node.alt, "data-caption": node.title })}>`
      case "imageReference":
        return `<img${attributes({ src: definitionOf(node)?.url, alt: node.alt, "data-caption": definitionOf(node)?.title })}>`
      case "list":
        return `${element(node.ordered === true ? "ol" : "ul", node, attributes({ start: node.ordered === true ? String(node.start ?? 1) : null }))}\n`
      case "listItem": {
        const box =
          typeof node.checked === "boolean" ? `<input type="checkbox"${node.checked ? " checked" : ""}>` : ""
        const isLoose = node.spread === true
        return `<li>${box}${all(node.children, !isLoose)}</li>`
      }
      case "table": {
        const align = node.align ?? []
        const rows = node.children.map((row, at) => {
          const cells = row.children.map((cell, column) =>
            element(at === 0 ? "th" : "td", cell, attributes({ align: align[column] }))
          )
          return `<tr>${cells.join("")}</tr>`
        })
        return `<table>${rows.join("")}</table>\n`
      }
      case "footnoteReference":
        return `<post-footnote label="${escaped(node.label ?? node.identifier)}"></post-footnote>`
      case "footnoteDefinition":
        return `<post-footnotes label="${escaped(node.label ?? node.identifier)}">${all(node.children)}</post-footnotes>`
      default: {
        const other: { readonly type: string; readonly children?: ReadonlyArray<Nodes> } = node
        if (other.type === "underline") return `<u>${all(other.children ?? [])}</u>`
        return other.children === undefined ? "" : all(other.children)
      }
    }
  }
  return all(nodes)
}
