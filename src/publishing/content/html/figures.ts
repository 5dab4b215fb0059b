import type { Element, ElementContent, Root } from "hast"

/** Returns the image of a paragraph that has an image with a caption and nothing else. */
const captioned = ({ children, tagName }: Element): Element | undefined => {
  const [image] = children
  if (tagName !== "p" || children.length !== 1 || image?.type !== "element") return undefined
  return image.tagName === "img" && String(image.properties["title"] ?? "").trim() !== "" ? image : undefined
}

const figureOf = (image: Element): Element => {
  const { title, ...properties } = image.properties
  const caption: Element = {
    type: "element",
    tagName: "figcaption",
    properties: {},
    children: [{ type: "text", value: String(title) }]
  }
  return {
    type: "element",
    tagName: "figure",
    properties: {},
    children: [{ ...image, properties }, { type: "text", value: "\n" }, caption]
  }
}

const shown = <Node extends ElementContent | Root["children"][number]>(node: Node): Node => {
  if (node.type !== "element") return node
  const image = captioned(node)
  return image === undefined ? { ...node, children: node.children.map(shown) } : (figureOf(image) as Node)
}

/** Makes figures of the images that stand alone in their paragraph and have a title, which becomes their caption. */
export const withFigures = (tree: Root): Root => ({ ...tree, children: tree.children.map(shown) })
