import { isInline } from "../../../content/native/nativeNodes.ts"
import { italicParagraph, type Nodes, onlyPicture, paragraph, textNode, tidyLine, wordsOf } from "../nodes.ts"
import type { Walk } from "./walk.ts"

/** Returns the inline content of blocks, in one line. */
export const inlinesOf = (blocks: Nodes): Nodes =>
  blocks.flatMap((block, at) => [
    ...(at === 0 || isInline(block) ? [] : [textNode(" ")]),
    ...(isInline(block)
      ? [block]
      : block.type === "codeBlock"
        ? [textNode(wordsOf([block]), [{ type: "code" }])]
        : inlinesOf(block.content ?? []))
  ])

/** Returns blocks with their caption: the title of a single picture, else a line in italics. */
export const captioned = (walk: Walk, blocks: Nodes, caption: Nodes): Nodes => {
  const line = tidyLine(caption)
  if (line.length === 0) return blocks
  const picture = blocks.length === 1 ? onlyPicture(blocks[0]) : undefined
  const isPlain = line.every(({ marks = [], text }) => text !== undefined && marks.length === 0)
  const title = wordsOf(line)
  if (picture !== undefined && isPlain && title.length <= 300)
    return [paragraph([{ ...picture, attrs: { ...picture.attrs, title } }])]
  walk.note("caption_paragraph", title)
  return [...blocks, italicParagraph(line)]
}

/** Returns the name of the file at an address. */
export const fileNameOf = (url: string): string => {
  const name =
    url
      .replace(/[?#].*$/su, "")
      .split("/")
      .findLast((part) => part !== "") ?? url
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
