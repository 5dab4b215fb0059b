import type { Definition, ImageReference, LinkReference, Nodes, TableCell } from "mdast"
import { isHttpUrl } from "../../../../schemas/platform/httpUrl.ts"
import { mediaPathOf } from "../../../../schemas/platform/mediaPath.ts"
import { isShownTarget } from "../html/targets.ts"
import type { Part } from "../parser/parse.ts"
import type { UnsupportedFeature, UnsupportedMarkdown } from "./sectionReading.ts"

/** Returns true for code with white space that a cell would lose when the table is written again. */
export const isPaddedCode = (code: string): boolean => code !== code.trim() || /[\r\n]/.test(code)

type DefinitionOf = (reference: LinkReference | ImageReference) => Definition | undefined

/** Returns the address of a link or image; undefined for other nodes. */
const targetOf = (node: Nodes, definitionOf: DefinitionOf): string | undefined => {
  switch (node.type) {
    case "image":
    case "link":
      return node.url
    case "imageReference":
    case "linkReference":
      return definitionOf(node)?.url
    default:
      return undefined
  }
}

/** Returns true for a link whose text is its address, such as `<irc://a.test>`: as text it loses nothing. */
const isAutolink = (node: Nodes) => {
  if (node.type !== "link" || node.children.length !== 1) return false
  const [child] = node.children
  return child?.type === "text" && child.value === node.url
}

/** Names the feature of an address that pages would not show. */
const targetFeatureOf = (node: Nodes, definitionOf: DefinitionOf): UnsupportedFeature | undefined => {
  const target = targetOf(node, definitionOf)
  if (target === undefined || isShownTarget(target) || isAutolink(node)) return undefined
  return node.type === "image" || node.type === "imageReference" ? "image_target" : "link_target"
}

const featureOf = (node: Nodes, cell: TableCell | undefined): UnsupportedFeature | undefined => {
  switch (node.type) {
    case "html":
      return "html"
    case "listItem":
      return typeof node.checked === "boolean" ? "task_list" : undefined
    case "image":
    case "imageReference":
      return cell === undefined ? undefined : "table_cell_image"
    case "inlineCode":
      return cell !== undefined && isPaddedCode(node.value) ? "table_cell_code_whitespace" : undefined
    default:
      return undefined
  }
}

/** Returns the rows that are longer than the header, which would lose their last cells. */
const longRows = (node: Nodes): ReadonlyArray<Nodes> => {
  if (node.type !== "table") return []
  const [header, ...rows] = node.children
  return rows.filter((row) => row.children.length > (header?.children.length ?? 0))
}

/** Yields every node in the order of the text. Uses a stack, as an author may nest deeper than the call stack. */
function* nodesOf(roots: Iterable<Nodes>): Generator<readonly [node: Nodes, cell: TableCell | undefined]> {
  for (const root of roots) {
    const stack: Array<readonly [Nodes, TableCell | undefined]> = [[root, undefined]]
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const node = next[0]
      const cell = node.type === "tableCell" ? node : next[1]
      yield [node, cell]
      if ("children" in node) for (const child of node.children.toReversed()) stack.push([child, cell])
    }
  }
}

/** Returns the unsupported features of a section, in the order of the text. */
export const unsupportedIn = (parts: ReadonlyArray<Part>): ReadonlyArray<UnsupportedMarkdown> => {
  const definitionOf = definitionsIn(parts.map(({ root }) => root))
  return parts.flatMap(({ linesBefore, root }) => {
    const unsupported: Array<UnsupportedMarkdown> = []
    const add = (feature: UnsupportedFeature, { position }: Nodes) =>
      unsupported.push({
        feature,
        line: linesBefore + (position?.start.line ?? 1),
        column: position?.start.column ?? 1
      })
    for (const [node, cell] of nodesOf([root])) {
      const feature = featureOf(node, cell) ?? targetFeatureOf(node, definitionOf)
      if (feature !== undefined) add(feature, node)
      for (const row of longRows(node)) add("table_row_too_long", row)
    }
    return unsupported.toSorted((a, b) => a.line - b.line || a.column - b.column)
  })
}

/** Makes a function from references to their definitions. The first definition of a name counts. */
export const definitionsIn = (roots: Iterable<Nodes>): DefinitionOf => {
  const definitions = new Map<string, Definition>()
  for (const [node] of nodesOf(roots)) {
    if (node.type === "definition" && !definitions.has(node.identifier))
      definitions.set(node.identifier, node)
  }
  return ({ identifier }) => definitions.get(identifier)
}

/** Returns the address of the first image that the contract accepts as `ogImage`, or null. */
export const firstImageIn = (roots: ReadonlyArray<Nodes>): string | null => {
  let definitionOf: ReturnType<typeof definitionsIn> | undefined
  for (const [node] of nodesOf(roots)) {
    if (node.type !== "image" && node.type !== "imageReference") continue
    if (node.type === "imageReference") definitionOf ??= definitionsIn(roots)
    const url = node.type === "image" ? node.url : definitionOf?.(node)?.url
    if (url !== undefined && (isHttpUrl(url) || mediaPathOf(url, []) !== undefined)) return url
  }
  return null
}
