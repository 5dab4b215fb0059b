import { markdownOf } from "../../publishing/content/parser/toMarkdown.ts"

/** An image of a text in Markdown. */
interface Image {
  readonly alt: string
  readonly url: string
}

/** Images as they are written most often. A bracket in a description is escaped, so that each character is read once. */
const IMAGE = /!\[((?:[^[\]\\]|\\.)*)\]\(<?([^\s()<>]+)/gs

/** Characters that a backslash makes plain. */
const ESCAPED = /\\([!-/:-@[-`{-~])/g

/** Returns the images of a text, for lists: their Markdown is not parsed. */
export const imagesIn = (text: string): ReadonlyArray<Image> =>
  [...text.matchAll(IMAGE)].map(([, alt = "", url = ""]) => ({ alt: alt.replaceAll(ESCAPED, "$1"), url }))

/** Returns the Markdown that shows an image. The description reads as it was typed, in one line. */
export const imageMarkdown = (url: string, alt: string): string => {
  const line = alt.replaceAll(/\s+/g, " ")
  const image = { type: "image", url, alt: line } as const
  return markdownOf({ type: "root", children: [{ type: "paragraph", children: [image] }] }).trimEnd()
}
