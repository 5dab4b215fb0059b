import type { Parents, Root } from "mdast"
import { gfmTableToMarkdown } from "mdast-util-gfm-table"
import { defaultHandlers, type Handle, type Info, type Options, toMarkdown } from "mdast-util-to-markdown"
import { autolinksToMarkdown } from "./autolinks.ts"
import { footnotesToMarkdown } from "./footnotes.ts"
import { strikethroughToMarkdown, underlineToMarkdown } from "./underline.ts"

/** Writes a hard break: a backslash within a paragraph, elsewhere `<br>`, which is valid anywhere. */
const hardBreak: Handle = (node, parent, _state, info) => {
  const siblings: ReadonlyArray<unknown> = parent?.children ?? []
  const isBetween = siblings[0] !== node && siblings.at(-1) !== node
  return parent?.type === "paragraph" && isBetween && info.before !== "\n" ? "\\\n" : "<br>"
}

const reference = (space: string) => `&#x${space.charCodeAt(0).toString(16)};`

/** Keeps white space at the ends of a cell, which would be read as padding. */
const padded = (value: string, node: unknown, parent: Parents | undefined) => {
  if (parent?.type !== "tableCell") return value
  const started = parent.children[0] === node ? value.replace(/^[\t ]/, reference) : value
  if (parent.children.at(-1) !== node) return started
  // A backslash before white space stays a backslash; before a reference it would escape it.
  return started.replace(
    /(\\*)([\t ])$/,
    (_, slashes: string, space: string) =>
      `${slashes}${slashes.length % 2 === 0 ? "" : "\\"}${reference(space)}`
  )
}

const escaped = (text: string) => text.replaceAll("_", "\\_")

/**
 * Escapes an underscore within a word when the letter beside it touches a `~` or `+`. The serializer may still write that
 * letter as a character reference, which is not a letter. Beside `*` and `_` the serializer escapes it.
 */
const intraword = (value: string, { after, before }: Info) => {
  const started = /[+~]$/.test(before) ? value.replace(/^[^\\_]_+/su, escaped) : value
  return /^[+~]/.test(after) ? started.replace(/(?<![\\_])_+[^_]$/su, escaped) : started
}

const ESCAPED_PLUSES = /(?<=[\p{L}\p{N}])\\\+\\\+(?=\s|$)/gu

/** Leaves `C++` without backslashes: before white space it cannot open, and outside of an underline it cannot close. */
const text: Handle = (node, parent, state, info) => {
  const written = intraword(defaultHandlers.text(node, parent, state, info), info)
  const value = padded(written, node, parent)
  return state.stack.includes("underline") || !/^\s/.test(info.after)
    ? value
    : value.replaceAll(ESCAPED_PLUSES, "++")
}

const options: Options = {
  unsafe: [{ character: "<", inConstruct: "destinationRaw" }],
  bullet: "-",
  bulletOther: "*",
  fences: true,
  listItemIndent: "one",
  // Bullets are left out, so that a list may begin with one.
  rule: "_",
  extensions: [
    gfmTableToMarkdown({ tablePipeAlign: false }),
    strikethroughToMarkdown,
    underlineToMarkdown,
    footnotesToMarkdown,
    autolinksToMarkdown
  ],
  handlers: { break: hardBreak, text }
}

/** Returns the Markdown of a tree. */
export const markdownOf = (root: Root): string => toMarkdown(root, options)
