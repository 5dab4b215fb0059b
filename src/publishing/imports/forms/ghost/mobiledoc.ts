import { cardHtml, escaped, isRecord, unknownCardHtml } from "./cards.ts"
import type { Unknown } from "./lexical.ts"

const MARKER_TEXT = 0
const SECTION_MARKUP = 1
const SECTION_IMAGE = 2
const SECTION_LIST = 3
const SECTION_CARD = 10

const TAGS: ReadonlySet<string> = new Set(
  "p h1 h2 h3 h4 h5 h6 blockquote aside pull-quote ul ol b strong i em s u a code sub sup".split(" ")
)

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const tagOf = (value: unknown, other: string) =>
  typeof value === "string" && TAGS.has(value.toLowerCase()) ? value.toLowerCase() : other

/** Writes a document of Mobiledoc, the older form of Ghost, as HTML. Unknown cards keep their text. */
export const mobiledocHtml = (document: unknown, unknown: Unknown): string => {
  if (!isRecord(document)) return ""
  const [markups, atoms, cards] = [
    listOf(document["markups"]),
    listOf(document["atoms"]),
    listOf(document["cards"])
  ]

  const opening = (markup: unknown) => {
    const [name, attributes] = listOf(markup)
    const tag = tagOf(name, "span")
    const href = tag === "a" ? listOf(attributes) : []
    const at = href.indexOf("href")
    const url = at < 0 ? undefined : href[at + 1]
    return typeof url === "string" ? `<a href="${escaped(url)}">` : `<${tag}>`
  }
  const line = (markers: unknown) => {
    const open: Array<string> = []
    const parts: Array<string> = []
    for (const marker of listOf(markers)) {
      const [type, opens, closes, value] = listOf(marker)
      for (const index of listOf(opens)) {
        const markup = markups[Number(index)]
        open.push(tagOf(listOf(markup)[0], "span"))
        parts.push(opening(markup))
      }
      if (type === MARKER_TEXT) parts.push(typeof value === "string" ? escaped(value) : "")
      else {
        const [name, words] = listOf(atoms[Number(value)])
        parts.push(name === "soft-return" ? "<br>" : typeof words === "string" ? escaped(words) : "")
      }
      for (let count = Math.min(Number(closes) || 0, open.length); count > 0; count--)
        parts.push(`</${open.pop() ?? "span"}>`)
    }
    return parts.join("")
  }
  const section = (given: unknown): string => {
    const [type, name, content] = listOf(given)
    switch (type) {
      case SECTION_MARKUP: {
        const tag = tagOf(name, "p")
        const element = tag === "aside" || tag === "pull-quote" ? "blockquote" : tag
        return `<${element}>${line(content)}</${element}>`
      }
      case SECTION_IMAGE:
        return typeof name === "string" ? `<p><img src="${escaped(name)}"></p>` : ""
      case SECTION_LIST: {
        const tag = tagOf(name, "ul")
        return `<${tag}>${listOf(content)
          .map((item) => `<li>${line(item)}</li>`)
          .join("")}</${tag}>`
      }
      case SECTION_CARD: {
        const [card, values] = listOf(cards[Number(name)])
        const payload = isRecord(values) ? values : {}
        const html = typeof card === "string" ? cardHtml(card, payload) : undefined
        if (html !== undefined) return html
        unknown(typeof card === "string" ? card : "card")
        return unknownCardHtml(payload)
      }
      default:
        return ""
    }
  }
  return listOf(document["sections"]).map(section).join("\n")
}
