import { literalRanges } from "./shortcodes.ts"

const BLOCK_NAMES =
  "address|article|aside|audio|blockquote|center|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|hr|iframe|li|main|nav|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul|video"
const BEGINS_WITH_BLOCK = new RegExp(`^\\s{0,100}</?(?:${BLOCK_NAMES})\\b`, "i")
const AFTER_BLOCK = new RegExp(`</?(?:${BLOCK_NAMES})\\b[^<>]{0,500}>$`, "i")

const isAddress = (text: string) => /^https?:\/\/\S{1,2000}$/i.test(text)

/** Makes breaks of line ends, except next to blocks. */
const withBreaks = (part: string): string => {
  const lines = part.split("\n")
  let html = ""
  for (const [at, line] of lines.entries()) {
    if (at > 0) {
      const before = (lines[at - 1] ?? "").trimEnd().slice(-600)
      html +=
        AFTER_BLOCK.test(before) || BEGINS_WITH_BLOCK.test(line) || /<br\s{0,5}\/?>$/i.test(before)
          ? "\n"
          : "<br>\n"
    }
    html += line
  }
  return html
}

const paragraphs = (text: string): string =>
  text
    .split(/\n[ \t]{0,50}\n\s{0,50}/)
    .map((part) => {
      const trimmed = part.trim()
      if (trimmed === "") return ""
      if (isAddress(trimmed)) return `<iframe src="${trimmed.replaceAll('"', "%22")}"></iframe>`
      const lines = withBreaks(trimmed)
      return BEGINS_WITH_BLOCK.test(trimmed) ? lines : `<p>${lines}</p>`
    })
    .join("\n")

/** Makes paragraphs of the texts of the classic editor of WordPress, where empty lines separate them. */
export const classicHtml = (content: string): string => {
  const text = content.replaceAll(/\r\n?/g, "\n")
  const parts: Array<string> = []
  let at = 0
  for (const [start, end] of literalRanges(text)) {
    if (!/^<pre/i.test(text.slice(start, start + 4))) continue
    parts.push(paragraphs(text.slice(at, start)), text.slice(start, end))
    at = end
  }
  parts.push(paragraphs(text.slice(at)))
  return parts.join("\n")
}
