import type { Nodes } from "mdast"
import type { NativeNode } from "../../../../schemas/publishing/posts/NativeDocument.ts"
import { definitionsIn } from "../../../../src/publishing/content/reading/unsupported.ts"
import { rootOf } from "../rendering.ts"

/** Every value in attributes. */
const valuesIn = (value: unknown): ReadonlyArray<unknown> =>
  typeof value === "object" && value !== null ? Object.values(value).flatMap(valuesIn) : [value]

/** Every value of the attributes of all nodes and marks. */
export const attrsIn = (node: NativeNode): ReadonlyArray<unknown> => [
  ...valuesIn(node.attrs),
  ...valuesIn(node.marks?.map(({ attrs }) => attrs)),
  ...(node.content ?? []).flatMap(attrsIn)
]

/** Returns the attribute values that look like URLs. */
export const urlsIn = (node: NativeNode): ReadonlyArray<string> =>
  attrsIn(node).flatMap((it) => (typeof it === "string" && it.includes("/") ? [it] : []))

/** All nodes of a tree. */
export const nodesIn = (node: Nodes): ReadonlyArray<Nodes> => [
  node,
  ...("children" in node ? node.children.flatMap(nodesIn) : [])
]

/** Counts the images, links and definitions of a section that refer to a URL. */
export const referencesTo = (source: string, url: string) => {
  const root = rootOf(source)
  const definitionOf = definitionsIn([root])
  return nodesIn(root).filter((node) => {
    if (node.type === "image" || node.type === "link" || node.type === "definition") return node.url === url
    if (node.type !== "imageReference" && node.type !== "linkReference") return false
    return definitionOf(node)?.url === url
  }).length
}

/** The URLs of its images, in their order. */
export const imagesIn = (source: string) =>
  nodesIn(rootOf(source)).flatMap((node) => (node.type === "image" ? [node.url] : []))
